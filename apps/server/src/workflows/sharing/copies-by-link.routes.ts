import { sharedThreadSchema, sharedThreadSecretSchema, threadSchema } from '@threadbox/protocol/public'
import { type Api, defineRoute, jsonAnswer, jsonBody, makeApi } from '../../platform/http/api.ts'
import type { CopiesByLink } from './copies-by-link.ts'

const tags = ['threads']

const previewRoute = defineRoute({
  action: 'threads.work',
  method: 'post',
  path: '/shared-threads/look',
  tags,
  summary: 'Get what a copy of a shared thread would include',
  request: { body: jsonBody(sharedThreadSecretSchema) },
  responses: { 200: jsonAnswer(sharedThreadSchema, 'The shared thread.') },
})
const copyRoute = defineRoute({
  action: 'threads.work',
  method: 'post',
  path: '/shared-threads/copy',
  tags,
  summary: 'Create your own copy of a shared thread, including its sandbox',
  request: { body: jsonBody(sharedThreadSecretSchema) },
  responses: { 201: jsonAnswer(threadSchema, 'The new thread.') },
})

/** For signed-in users who have a link. */
export function copiesByLinkRoutes(copies: CopiesByLink): Api {
  const api = makeApi()
  api.openapi(previewRoute, async (context) =>
    context.json(await copies.preview(context.req.valid('json').secret), 200),
  )
  api.openapi(copyRoute, async (context) => {
    const { userId } = context.get('caller')
    return context.json(await copies.copy(userId, context.req.valid('json').secret), 201)
  })
  return api
}
