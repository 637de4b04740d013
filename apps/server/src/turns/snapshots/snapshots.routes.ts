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

const pinParams = threadParams.extend({ turnId: idParam })
const pinRoute = defineRoute({
  action: 'threads.work',
  method: 'put',
  path: `${path}/pins/{turnId}`,
  tags,
  summary: 'Pin a turn: keep its snapshot, with memory, beyond the limits. Memory that isn’t saved yet is saved now',
  request: { params: pinParams },
  responses: answer,
})
const unpinRoute = defineRoute({
  action: 'threads.work',
  method: 'delete',
  path: `${path}/pins/{turnId}`,
  tags,
  summary: 'Unpin a turn: the limits apply to its snapshot again',
  request: { params: pinParams },
  responses: answer,
})

/**
 * Routes of a thread's snapshots. Every route first calls `open`, which checks that the caller has access to the
 * thread.
 */
export function snapshotRoutes(dependencies: {
  snapshots: Snapshots
  open: OpenThread
  /** Notifies the pages of the thread. */
  changed: (threadId: string) => Promise<void>
}): Api {
  const { snapshots, changed } = dependencies
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
  api.openapi(pinRoute, async (context) => {
    const { threadId: named, turnId } = context.req.valid('param')
    const threadId = await opened(context, named)
    await snapshots.pin(threadId, turnId)
    await changed(threadId)
    return context.json(await snapshots.list(threadId), 200)
  })
  api.openapi(unpinRoute, async (context) => {
    const { threadId: named, turnId } = context.req.valid('param')
    const threadId = await opened(context, named)
    await snapshots.unpin(threadId, turnId)
    await changed(threadId)
    return context.json(await snapshots.list(threadId), 200)
  })
  return api
}
