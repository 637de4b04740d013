import {
  decideCallSchema,
  editMessageSchema,
  messageAcceptedSchema,
  reorderQueueSchema,
  retryTurnSchema,
  sendMessageSchema,
} from '@threadbox/protocol/public'
import {
  type Api,
  defineRoute,
  idParam,
  jsonAnswer,
  jsonBody,
  makeApi,
  type OpenThread,
  threadOpener,
  threadParams,
} from '../../platform/http/api.ts'
import type { Turns } from './turns.usecases.ts'

const tags = ['conversation']
const messageParams = threadParams.extend({ entryId: idParam })
const accepted = { 202: jsonAnswer(messageAcceptedSchema, 'Accepted. Progress arrives as events.') }
const nothing = { 204: { description: 'Done.' } }

const sendRoute = defineRoute({
  action: 'threads.work',
  method: 'post',
  path: '/threads/{threadId}/messages',
  tags,
  summary: 'Send a message. It’s queued while a turn is running',
  request: { params: threadParams, body: jsonBody(sendMessageSchema) },
  responses: accepted,
})
const editQueuedRoute = defineRoute({
  action: 'threads.work',
  method: 'patch',
  path: '/threads/{threadId}/messages/{entryId}',
  tags,
  summary: 'Edit a queued message',
  request: { params: messageParams, body: jsonBody(editMessageSchema) },
  responses: nothing,
})
const removeQueuedRoute = defineRoute({
  action: 'threads.work',
  method: 'delete',
  path: '/threads/{threadId}/messages/{entryId}',
  tags,
  summary: 'Remove a message from the queue',
  request: { params: messageParams },
  responses: nothing,
})
const editRoute = defineRoute({
  action: 'threads.work',
  method: 'post',
  path: '/threads/{threadId}/messages/{entryId}/edit',
  tags,
  summary: 'Edit and resend a message. Everything after it is removed from the conversation',
  request: { params: messageParams, body: jsonBody(editMessageSchema) },
  responses: accepted,
})
const reorderRoute = defineRoute({
  action: 'threads.work',
  method: 'put',
  path: '/threads/{threadId}/queue',
  tags,
  summary: 'Reorder the queued messages',
  request: { params: threadParams, body: jsonBody(reorderQueueSchema) },
  responses: nothing,
})
const resumeRoute = defineRoute({
  action: 'threads.work',
  method: 'post',
  path: '/threads/{threadId}/queue/resume',
  tags,
  summary: 'Resume a queue that was put on hold by a stop',
  request: { params: threadParams },
  responses: nothing,
})
const stopRoute = defineRoute({
  action: 'threads.work',
  method: 'post',
  path: '/threads/{threadId}/stop',
  tags,
  summary: 'Stop the running turn and everything it’s running. Responds when the turn has ended',
  request: { params: threadParams },
  responses: nothing,
})
const retryRoute = defineRoute({
  action: 'threads.work',
  method: 'post',
  path: '/threads/{threadId}/retry',
  tags,
  summary: 'Retry or continue the last response',
  request: { params: threadParams, body: jsonBody(retryTurnSchema) },
  responses: accepted,
})
const runAgainRoute = defineRoute({
  action: 'threads.work',
  method: 'post',
  path: '/threads/{threadId}/calls/{callId}/run-again',
  tags,
  summary: 'Run a command or Python cell again',
  request: { params: threadParams.extend({ callId: idParam }) },
  responses: accepted,
})

const decideRoute = defineRoute({
  action: 'threads.approve',
  method: 'post',
  path: '/threads/{threadId}/calls/{callId}/decision',
  tags,
  summary: 'Approve or deny a pending call',
  request: { params: threadParams.extend({ callId: idParam }), body: jsonBody(decideCallSchema) },
  responses: nothing,
})

/**
 * Routes of the conversation. Every route first calls `open`, which checks that the caller has access to the thread.
 */
export function turnRoutes(dependencies: { turns: Turns; open: OpenThread }): Api {
  const { turns } = dependencies
  const api = makeApi()
  const opened = threadOpener(dependencies.open)

  api.openapi(sendRoute, async (context) => {
    const threadId = await opened(context, context.req.valid('param').threadId)
    return context.json(await turns.send(threadId, context.req.valid('json'), context.get('caller').userId), 202)
  })
  api.openapi(editQueuedRoute, async (context) => {
    const { threadId, entryId } = context.req.valid('param')
    await turns.editQueued(await opened(context, threadId), entryId, context.req.valid('json').text)
    return context.body(null, 204)
  })
  api.openapi(removeQueuedRoute, async (context) => {
    const { threadId, entryId } = context.req.valid('param')
    await turns.removeQueued(await opened(context, threadId), entryId)
    return context.body(null, 204)
  })
  api.openapi(editRoute, async (context) => {
    const { threadId, entryId } = context.req.valid('param')
    const { text } = context.req.valid('json')
    const message = { entryId, text, authorId: context.get('caller').userId }
    return context.json(await turns.editAndResend(await opened(context, threadId), message), 202)
  })
  api.openapi(reorderRoute, async (context) => {
    const threadId = await opened(context, context.req.valid('param').threadId)
    await turns.reorderQueue(threadId, context.req.valid('json').entryIds)
    return context.body(null, 204)
  })
  api.openapi(resumeRoute, async (context) => {
    await turns.resumeQueue(await opened(context, context.req.valid('param').threadId))
    return context.body(null, 204)
  })
  api.openapi(stopRoute, async (context) => {
    await turns.stop(await opened(context, context.req.valid('param').threadId))
    return context.body(null, 204)
  })
  api.openapi(retryRoute, async (context) => {
    const threadId = await opened(context, context.req.valid('param').threadId)
    return context.json(await turns.retry(threadId, context.req.valid('json')), 202)
  })
  api.openapi(decideRoute, async (context) => {
    const { threadId, callId } = context.req.valid('param')
    const { decision } = context.req.valid('json')
    if (decision === 'always') await context.get('authorize')('threads.approve-always')
    await turns.decide(context.get('caller').userId, { threadId: await opened(context, threadId), callId, decision })
    return context.body(null, 204)
  })
  api.openapi(runAgainRoute, async (context) => {
    const { threadId, callId } = context.req.valid('param')
    const { userId } = context.get('caller')
    return context.json(await turns.runAgain(await opened(context, threadId), callId, userId), 202)
  })
  return api
}
