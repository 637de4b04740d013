import { threadSnapshotsSchema } from '@threadbox/protocol/public'
import {
  type Api,
  defineRoute,
  idParam,
  jsonAnswer,
  makeApi,
  type OpenThread,
  threadOpener,
  threadParams,
} from '../../platform/http/api.ts'
import type { Snapshots } from './snapshots.usecases.ts'

const tags = ['snapshots']
const answer = { 200: jsonAnswer(threadSnapshotsSchema, 'The thread’s snapshots.') }
const path = '/threads/{threadId}/snapshots' as const

const listRoute = defineRoute({
  action: 'threads.read',
  method: 'get',
  path,
  tags,
  summary: 'List a thread’s disk snapshots, with their size and limits',
  request: { params: threadParams },
  responses: answer,
})
const removeRoute = defineRoute({
  action: 'threads.work',
  method: 'delete',
  path: `${path}/{snapshotId}`,
  tags,
  summary: 'Delete a snapshot. The disk doesn’t change',
  request: { params: threadParams.extend({ snapshotId: idParam }) },
  responses: answer,
})

/**
 * Routes of a thread's snapshots. Every route first calls `open`, which checks that the caller has access to the
 * thread.
 */
export function snapshotRoutes(dependencies: { snapshots: Snapshots; open: OpenThread }): Api {
  const { snapshots } = dependencies
  const api = makeApi()
  const opened = threadOpener(dependencies.open)

  api.openapi(listRoute, async (context) => {
    const threadId = await opened(context, context.req.valid('param').threadId)
    return context.json(await snapshots.list(threadId), 200)
  })
  api.openapi(removeRoute, async (context) => {
    const { threadId, snapshotId } = context.req.valid('param')
    await snapshots.remove(await opened(context, threadId), snapshotId)
    return context.json(await snapshots.list(threadId), 200)
  })
  return api
}
