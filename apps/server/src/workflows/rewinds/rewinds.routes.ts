import {
  rewindPreviewSchema,
  rewindQuerySchema,
  rewindThreadSchema,
  rewoundThreadSchema,
  undoRewindSchema,
} from '@threadbox/protocol/public'
import {
  type Api,
  defineRoute,
  jsonAnswer,
  jsonBody,
  makeApi,
  type OpenThread,
  threadOpener,
  threadParams,
} from '../../platform/http/api.ts'
import type { Rewinds } from './rewinds.usecases.ts'

const tags = ['snapshots']
const path = '/threads/{threadId}/rewind' as const

const previewRoute = defineRoute({
  action: 'threads.read',
  method: 'get',
  path,
  tags,
  summary: 'Preview what a rewind to before a message would undo',
  request: { params: threadParams, query: rewindQuerySchema },
  responses: { 200: jsonAnswer(rewindPreviewSchema, 'What would be undone, and what can’t be.') },
})
const rewindRoute = defineRoute({
  action: 'threads.change',
  method: 'post',
  path,
  tags,
  summary: 'Rewind the conversation and the disk to before a message. The undone state is kept for undo',
  request: { params: threadParams, body: jsonBody(rewindThreadSchema) },
  responses: { 200: jsonAnswer(rewoundThreadSchema, 'The rewind, needed to undo it.') },
})
const undoRoute = defineRoute({
  action: 'threads.change',
  method: 'post',
  path: `${path}/undo`,
  tags,
  summary: 'Undo a rewind, if no message was sent since',
  request: { params: threadParams, body: jsonBody(undoRewindSchema) },
  responses: { 204: { description: 'The rewind was undone.' } },
})

/** Routes that rewind a thread. `open` checks access to the thread; every route calls it first. */
export function rewindRoutes(dependencies: { rewinds: Rewinds; open: OpenThread }): Api {
  const { rewinds } = dependencies
  const api = makeApi()
  const opened = threadOpener(dependencies.open)

  api.openapi(previewRoute, async (context) => {
    const threadId = await opened(context, context.req.valid('param').threadId)
    return context.json(await rewinds.preview(threadId, context.req.valid('query').before), 200)
  })
  api.openapi(rewindRoute, async (context) => {
    const threadId = await opened(context, context.req.valid('param').threadId)
    return context.json(await rewinds.rewind(threadId, context.req.valid('json').entryId), 200)
  })
  api.openapi(undoRoute, async (context) => {
    const threadId = await opened(context, context.req.valid('param').threadId)
    await rewinds.undo(threadId, context.req.valid('json').rewindId)
    return context.body(null, 204)
  })
  return api
}
