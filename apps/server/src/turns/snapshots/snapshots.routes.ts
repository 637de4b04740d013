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
const answer = { 200: jsonAnswer(threadSnapshotsSchema, 'What is kept of the disk of the thread.') }
const path = '/threads/{threadId}/snapshots' as const

const listRoute = defineRoute({
  method: 'get',
  path,
  tags,
  summary: 'What the disk contained at the end of each answer, with what that takes and may take',
  request: { params: threadParams },
  responses: answer,
})
const removeRoute = defineRoute({
  method: 'delete',
  path: `${path}/{snapshotId}`,
  tags,
  summary: 'Give a snapshot up; the disk stays as it is',
  request: { params: threadParams.extend({ snapshotId: idParam }) },
  responses: answer,
})

/** Routes of a thread's snapshots. `open` checks that the thread is the caller's; every route begins with it. */
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
