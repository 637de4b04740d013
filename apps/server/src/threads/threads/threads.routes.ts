import { z } from '@hono/zod-openapi'
import {
  createThreadSchema,
  entriesPageSchema,
  presenceSchema,
  reportPresenceSchema,
  searchHitSchema,
  threadEventSchema,
  threadPageSchema,
  threadSchema,
  updateThreadSchema,
  userEventSchema,
} from '@threadbox/protocol/public'
import {
  type Api,
  countQuery,
  defineRoute,
  jsonAnswer,
  jsonBody,
  makeApi,
  threadParams,
  wholeNumberQuery,
} from '../../platform/http/api.ts'
import { answerEvents } from '../../platform/http/event-stream.ts'
import type { OpenVisits } from '../../platform/http/open-visits.ts'
import type { ThreadLog } from '../log/thread-log.ts'
import { changerOf } from '../network/network-changer.ts'
import type { NetworkPolicies } from '../network/network-policies.ts'
import type { Presence } from './presence.ts'
import type { StreamSources } from './stream-sources.ts'
import { passOf } from './stream-visits.ts'
import { streamSocketOnly } from './streams.errors.ts'
import type { Threads } from './threads.usecases.ts'

const tags = ['threads']
const threadAnswer = { 200: jsonAnswer(threadSchema, 'The thread.') }

const listRoute = defineRoute({
  action: 'threads.read',
  method: 'get',
  path: '/threads',
  tags,
  summary: 'List threads, pinned first, then newest',
  request: {
    query: z.object({ cursor: z.string().max(500).optional(), limit: countQuery({ default: 50, max: 200 }) }),
  },
  responses: { 200: jsonAnswer(threadPageSchema, 'A page of threads.') },
})
const createThreadRoute = defineRoute({
  action: 'threads.work',
  method: 'post',
  path: '/threads',
  tags,
  summary: 'Create a thread',
  request: { body: jsonBody(createThreadSchema) },
  responses: { 201: jsonAnswer(threadSchema, 'The new thread.') },
})
const getRoute = defineRoute({
  action: 'threads.read',
  method: 'get',
  path: '/threads/{threadId}',
  tags,
  summary: 'Get a thread',
  request: { params: threadParams },
  responses: threadAnswer,
})
const updateRoute = defineRoute({
  action: 'threads.work',
  method: 'patch',
  path: '/threads/{threadId}',
  tags,
  summary: 'Update a thread: title, pin, model, read state, workspace, and who sees it',
  request: { params: threadParams, body: jsonBody(updateThreadSchema) },
  responses: threadAnswer,
})
const deleteRoute = defineRoute({
  action: 'threads.change',
  method: 'delete',
  path: '/threads/{threadId}',
  tags,
  summary: 'Delete a thread and its sandbox. Can be undone for 30 seconds by default',
  request: { params: threadParams },
  responses: threadAnswer,
})
const restoreRoute = defineRoute({
  action: 'threads.change',
  method: 'post',
  path: '/threads/{threadId}/restore',
  tags,
  summary: 'Restore a deleted thread within its undo time',
  request: { params: threadParams },
  responses: threadAnswer,
})
const presenceRoute = defineRoute({
  action: 'threads.read',
  method: 'put',
  path: '/threads/{threadId}/presence',
  tags,
  summary: 'Report that you have the thread open, and get who else has',
  request: { params: threadParams, body: jsonBody(reportPresenceSchema) },
  responses: { 200: jsonAnswer(presenceSchema, 'The others.') },
})
const entriesRoute = defineRoute({
  action: 'threads.read',
  method: 'get',
  path: '/threads/{threadId}/entries',
  tags,
  summary: 'Read the conversation, newest page first',
  request: {
    params: threadParams,
    query: z.object({
      before: z
        .string()
        .regex(/^\d{1,15}$/)
        .optional(),
      limit: countQuery({ default: 100, max: 500 }),
    }),
  },
  responses: { 200: jsonAnswer(entriesPageSchema, 'A page of the conversation.') },
})
const eventsRoute = defineRoute({
  action: 'threads.read',
  method: 'get',
  path: '/threads/{threadId}/events',
  tags,
  summary: 'Stream the conversation: replay, then live (server-sent events)',
  request: {
    params: threadParams,
    query: z.object({ after: wholeNumberQuery({ min: 0, max: Number.MAX_SAFE_INTEGER }).default(0) }),
    headers: z.object({
      'last-event-id': z
        .string()
        .regex(/^\d{1,15}$/)
        .optional(),
    }),
  },
  responses: {
    200: { description: 'Events.', content: { 'text/event-stream': { schema: threadEventSchema } } },
  },
})
const userEventsRoute = defineRoute({
  action: 'threads.read',
  method: 'get',
  path: '/events',
  tags,
  summary: 'Stream changes to the thread list (server-sent events, live only)',
  responses: { 200: { description: 'Events.', content: { 'text/event-stream': { schema: userEventSchema } } } },
})
const socketRoute = defineRoute({
  action: 'threads.read',
  method: 'get',
  path: '/events/socket',
  tags,
  summary: 'Stream any number of conversations and the thread list over one WebSocket',
  responses: { 101: { description: 'Switches to WebSocket.' } },
})
const searchRoute = defineRoute({
  action: 'threads.read',
  method: 'get',
  path: '/search',
  tags,
  summary: 'Search threads by title, text, commands and file names',
  request: { query: z.object({ q: z.string().trim().min(1).max(500), limit: countQuery({ default: 30, max: 100 }) }) },
  responses: { 200: jsonAnswer(z.object({ hits: z.array(searchHitSchema) }), 'Matches, newest first.') },
})

export function threadRoutes(dependencies: {
  threads: Threads
  network: Pick<NetworkPolicies, 'checkMove'>
  log: ThreadLog
  sources: StreamSources
  visits: OpenVisits
  presence: Presence
}): Api {
  const { threads, network, log, sources, visits, presence } = dependencies
  const api = makeApi()
  const userId = (context: { get(key: 'caller'): { userId: string } }) => context.get('caller').userId

  api.openapi(listRoute, async (context) => {
    const { cursor, limit } = context.req.valid('query')
    return context.json(await threads.list(userId(context), { cursor, limit }), 200)
  })
  api.openapi(createThreadRoute, async (context) => {
    return context.json(await threads.create(userId(context), context.req.valid('json')), 201)
  })
  api.openapi(getRoute, async (context) => {
    return context.json(await threads.get(userId(context), context.req.valid('param').threadId), 200)
  })
  api.openapi(updateRoute, async (context) => {
    const { threadId } = context.req.valid('param')
    const change = context.req.valid('json')
    if (change.workspaceId !== undefined) {
      await threads.open(userId(context), threadId)
      await network.checkMove({ threadId, workspaceId: change.workspaceId }, changerOf(context))
    }
    return context.json(await threads.update(userId(context), threadId, change), 200)
  })
  api.openapi(deleteRoute, async (context) => {
    return context.json(await threads.delete(userId(context), context.req.valid('param').threadId), 200)
  })
  api.openapi(restoreRoute, async (context) => {
    return context.json(await threads.restore(userId(context), context.req.valid('param').threadId), 200)
  })
  api.openapi(presenceRoute, async (context) => {
    const { threadId } = context.req.valid('param')
    await threads.open(userId(context), threadId)
    const { isTyping, isHere } = context.req.valid('json')
    return context.json({ people: await presence.report(threadId, { userId: userId(context), isTyping, isHere }) }, 200)
  })
  api.openapi(entriesRoute, async (context) => {
    const { threadId } = context.req.valid('param')
    const { before, limit } = context.req.valid('query')
    await threads.open(userId(context), threadId)
    return context.json(await log.page(threadId, { before: before ?? null, limit }), 200)
  })
  api.openapi(eventsRoute, async (context) => {
    const { threadId } = context.req.valid('param')
    const lastSeen = context.req.valid('header')['last-event-id']
    const afterSeq = lastSeen === undefined ? context.req.valid('query').after : Number(lastSeen)
    const messages = await sources.thread(context.get('caller'), { threadId, afterSeq })
    return answerEvents(context, { messages, visit: visits.follow(passOf(context.get('caller'))) })
  })
  api.openapi(userEventsRoute, async (context) => {
    const caller = context.get('caller')
    const messages = (signal: AbortSignal) => sources.user(caller, signal)
    return answerEvents(context, { messages, visit: visits.follow(passOf(caller)) })
  })
  api.openapi(socketRoute, () => {
    // WebSocket handshakes are handled before this route.
    throw streamSocketOnly({})
  })
  api.openapi(searchRoute, async (context) => {
    const { q, limit } = context.req.valid('query')
    return context.json({ hits: await threads.search(userId(context), { text: q, limit }) }, 200)
  })
  return api
}
