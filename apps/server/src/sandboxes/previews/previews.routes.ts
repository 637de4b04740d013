import { openPreviewRequestSchema, previewCheckSchema, previewSchema } from '@threadbox/protocol/public'
import {
  type Api,
  type ApiContext,
  defineRoute,
  jsonAnswer,
  jsonBody,
  makeApi,
  type OpenThread,
  threadOpener,
  threadParams,
} from '../../platform/http/api.ts'
import type { PreviewChecks } from './preview-check.usecases.ts'
import type { Previews } from './previews.usecases.ts'

const openRoute = defineRoute({
  action: 'previews.open',
  method: 'post',
  path: '/threads/{threadId}/previews',
  tags: ['previews'],
  summary: 'Get a one-time URL for a page served on a sandbox port',
  request: { params: threadParams, body: jsonBody(openPreviewRequestSchema) },
  responses: { 200: jsonAnswer(previewSchema, 'The URL, or why there is none.') },
})

const checkRoute = defineRoute({
  action: 'previews.open',
  method: 'get',
  path: '/previews/check',
  tags: ['previews'],
  summary: 'Get what a browser needs to check whether it can show previews',
  responses: { 200: jsonAnswer(previewCheckSchema, 'A URL to load in a frame, and the message to show if it fails.') },
})

export function previewRoutes(dependencies: { previews: Previews; checks: PreviewChecks; open: OpenThread }): Api {
  const api = makeApi()
  const open = threadOpener(dependencies.open)
  api.openapi(openRoute, async (context) => {
    const threadId = await open(context, context.req.valid('param').threadId)
    const { port, path = '/' } = context.req.valid('json')
    const host = hostOf(context)
    return context.json(await dependencies.previews.open(context.get('caller'), { threadId, port, path, host }), 200)
  })
  api.openapi(checkRoute, async (context) => {
    return context.json(await dependencies.checks.prepare({ host: hostOf(context) }), 200)
  })
  return api
}

function hostOf(context: ApiContext): string {
  return context.req.header('host') ?? new URL(context.req.url).host
}
