import { openPreviewRequestSchema, previewSchema } from '@threadbox/protocol/public'
import {
  type Api,
  defineRoute,
  jsonAnswer,
  jsonBody,
  makeApi,
  type OpenThread,
  threadOpener,
  threadParams,
} from '../http/api.ts'
import type { Previews } from './previews.usecases.ts'

const openRoute = defineRoute({
  method: 'post',
  path: '/threads/{threadId}/previews',
  tags: ['previews'],
  summary: 'Get a one-time address of a page that a program of the sandbox serves on a port',
  request: { params: threadParams, body: jsonBody(openPreviewRequestSchema) },
  responses: { 200: jsonAnswer(previewSchema, 'The address, or why there is none.') },
})

export function previewRoutes(dependencies: { previews: Previews; open: OpenThread }): Api {
  const api = makeApi()
  const open = threadOpener(dependencies.open)
  api.openapi(openRoute, async (context) => {
    const threadId = await open(context, context.req.valid('param').threadId)
    const { port, path = '/' } = context.req.valid('json')
    const host = context.req.header('host') ?? new URL(context.req.url).host
    return context.json(await dependencies.previews.open(context.get('caller'), { threadId, port, path, host }), 200)
  })
  return api
}
