import { z } from '@hono/zod-openapi'
import {
  openTerminalRequestSchema,
  renameTerminalRequestSchema,
  terminalSchema,
  terminalsViewSchema,
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
  wholeNumberQuery,
} from '../../platform/http/api.ts'
import { terminalSocketOnly } from './terminals.errors.ts'
import type { Terminals } from './terminals.usecases.ts'

const tags = ['terminals']
const path = '/threads/{threadId}/terminals' as const
const terminalParams = threadParams.extend({ terminalId: idParam })

const listRoute = defineRoute({
  action: 'sandboxes.read',
  method: 'get',
  path,
  tags,
  summary: 'List a thread’s terminals. Doesn’t wake the sandbox',
  request: { params: threadParams },
  responses: { 200: jsonAnswer(terminalsViewSchema, 'The terminals, in the order they were opened.') },
})
const openRoute = defineRoute({
  action: 'sandboxes.work',
  method: 'post',
  path,
  tags,
  summary: 'Open a terminal with a login shell. Wakes the sandbox',
  request: { params: threadParams, body: jsonBody(openTerminalRequestSchema) },
  responses: { 201: jsonAnswer(terminalSchema, 'The terminal. Its shell is running.') },
})
const renameRoute = defineRoute({
  action: 'sandboxes.work',
  method: 'patch',
  path: `${path}/{terminalId}`,
  tags,
  summary: 'Rename a terminal',
  request: { params: terminalParams, body: jsonBody(renameTerminalRequestSchema) },
  responses: { 200: jsonAnswer(terminalSchema, 'The updated terminal.') },
})
const closeRoute = defineRoute({
  action: 'sandboxes.work',
  method: 'delete',
  path: `${path}/{terminalId}`,
  tags,
  summary: 'Close a terminal and stop what’s running in it',
  request: { params: terminalParams },
  responses: { 204: { description: 'Closed.' } },
})
const socketRoute = defineRoute({
  action: 'sandboxes.work',
  method: 'get',
  path: `${path}/{terminalId}/socket`,
  tags,
  summary: 'Attach to a terminal over a WebSocket',
  description:
    'Output is sent as binary messages; everything else is JSON in both directions. Attaching doesn’t wake the sandbox or keep it awake; input does both.',
  request: {
    params: terminalParams,
    query: z.object({ after: wholeNumberQuery({ min: 0, max: Number.MAX_SAFE_INTEGER }).optional() }),
  },
  responses: { 101: { description: 'Switches to WebSocket.' } },
})

/** Routes of a thread’s terminals. Each one first calls `open`, which checks that the caller can access the thread. */
export function terminalRoutes(dependencies: { terminals: Terminals; open: OpenThread }): Api {
  const { terminals } = dependencies
  const api = makeApi()
  const opened = threadOpener(dependencies.open)

  api.openapi(listRoute, async (context) => {
    const threadId = await opened(context, context.req.valid('param').threadId)
    return context.json(await terminals.list(threadId), 200)
  })
  api.openapi(openRoute, async (context) => {
    const threadId = await opened(context, context.req.valid('param').threadId)
    return context.json(await terminals.open(threadId, context.req.valid('json')), 201)
  })
  api.openapi(renameRoute, async (context) => {
    const { threadId, terminalId } = context.req.valid('param')
    await opened(context, threadId)
    return context.json(await terminals.rename(threadId, terminalId, context.req.valid('json').title), 200)
  })
  api.openapi(closeRoute, async (context) => {
    const { threadId, terminalId } = context.req.valid('param')
    await opened(context, threadId)
    await terminals.close(threadId, terminalId)
    return context.body(null, 204)
  })
  api.openapi(socketRoute, async (context) => {
    const { threadId, terminalId } = context.req.valid('param')
    await opened(context, threadId)
    await terminals.get(threadId, terminalId)
    throw terminalSocketOnly({})
  })
  return api
}
