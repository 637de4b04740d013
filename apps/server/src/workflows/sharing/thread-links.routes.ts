import { createdThreadLinkSchema, createThreadLinkSchema, threadLinksSchema } from '@threadbox/protocol/public'
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
import type { LinksOfThreads } from './thread-links.usecases.ts'

const tags = ['threads']

const listRoute = defineRoute({
  action: 'threads.read',
  method: 'get',
  path: '/threads/{threadId}/links',
  tags,
  summary: 'List the thread’s public links and how often each was opened',
  request: { params: threadParams },
  responses: { 200: jsonAnswer(threadLinksSchema, 'The valid links, newest first.') },
})
const createLinkRoute = defineRoute({
  action: 'threads.share',
  method: 'post',
  path: '/threads/{threadId}/links',
  tags,
  summary: 'Create a public read-only link to the thread',
  request: { params: threadParams, body: jsonBody(createThreadLinkSchema) },
  responses: { 201: jsonAnswer(createdThreadLinkSchema, 'The link. Its URL is returned only once.') },
})
const endRoute = defineRoute({
  action: 'threads.share',
  method: 'delete',
  path: '/threads/{threadId}/links/{linkId}',
  tags,
  summary: 'Revoke a link. Readers lose access within five seconds',
  request: { params: threadParams.extend({ linkId: idParam }) },
  responses: { 204: { description: 'Revoked.' } },
})

export function threadLinkRoutes(dependencies: {
  links: LinksOfThreads
  /** Throws `thread.not-found` if the user may not manage the thread. */
  open: OpenThread
  /** The app’s origin for a request to this host. */
  originOf: (host: string) => string
}): Api {
  const { links, originOf } = dependencies
  const api = makeApi()
  const open = threadOpener(dependencies.open)
  api.openapi(listRoute, async (context) => {
    const threadId = await open(context, context.req.valid('param').threadId)
    return context.json(await links.list(threadId), 200)
  })
  api.openapi(createLinkRoute, async (context) => {
    const threadId = await open(context, context.req.valid('param').threadId)
    const { userId } = context.get('caller')
    const origin = originOf(context.req.header('host') ?? new URL(context.req.url).host)
    return context.json(await links.create({ userId, threadId, origin }, context.req.valid('json')), 201)
  })
  api.openapi(endRoute, async (context) => {
    const threadId = await open(context, context.req.valid('param').threadId)
    await links.end({ userId: context.get('caller').userId, threadId, id: context.req.valid('param').linkId })
    return context.body(null, 204)
  })
  return api
}
