import { createdShareLinkSchema, createShareLinkRequestSchema, shareLinksSchema } from '@threadbox/protocol/public'
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
import type { ShareLinksOfThreads } from './share-links.usecases.ts'

const listRoute = defineRoute({
  action: 'threads.read',
  method: 'get',
  path: '/threads/{threadId}/share-links',
  tags: ['previews'],
  summary: 'List the public links to the thread’s services',
  request: { params: threadParams },
  responses: { 200: jsonAnswer(shareLinksSchema, 'The valid links, newest first.') },
})

const createRoute = defineRoute({
  action: 'threads.share',
  method: 'post',
  path: '/threads/{threadId}/services/{name}/share-links',
  tags: ['previews'],
  summary: 'Create a public link to this service’s pages',
  request: {
    params: threadParams.extend({ name: idParam }),
    body: jsonBody(createShareLinkRequestSchema),
  },
  responses: { 201: jsonAnswer(createdShareLinkSchema, 'The link. Its URL is returned only once.') },
})

const endRoute = defineRoute({
  action: 'threads.share',
  method: 'delete',
  path: '/threads/{threadId}/share-links/{linkId}',
  tags: ['previews'],
  summary: 'Revoke a link. Visitors lose access within five seconds',
  request: { params: threadParams.extend({ linkId: idParam }) },
  responses: { 204: { description: 'Revoked.' } },
})

export function shareLinkRoutes(dependencies: { shareLinks: ShareLinksOfThreads; open: OpenThread }): Api {
  const { shareLinks } = dependencies
  const api = makeApi()
  const open = threadOpener(dependencies.open)
  api.openapi(listRoute, async (context) => {
    const threadId = await open(context, context.req.valid('param').threadId)
    return context.json(await shareLinks.list(threadId), 200)
  })
  api.openapi(createRoute, async (context) => {
    const { threadId, name: service } = context.req.valid('param')
    await open(context, threadId)
    const { userId } = context.get('caller')
    const host = context.req.header('host') ?? new URL(context.req.url).host
    const created = await shareLinks.create({ userId, threadId, service, host }, context.req.valid('json'))
    context.header('cache-control', 'no-store')
    return context.json(created, 201)
  })
  api.openapi(endRoute, async (context) => {
    const { threadId, linkId: id } = context.req.valid('param')
    await open(context, threadId)
    await shareLinks.end({ userId: context.get('caller').userId, threadId, id })
    return context.body(null, 204)
  })
  return api
}
