import { z } from '@hono/zod-openapi'
import { grantSecretSchema, type ThreadSecrets, threadSecretsSchema } from '@threadbox/protocol/public'
import { type Api, defineRoute, idParam, jsonAnswer, jsonBody, makeApi, threadParams } from '../../platform/http/api.ts'
import type { ThreadRow, ThreadSecretGrants } from '../../threads/public.ts'

const tags = ['secrets']
const path = '/threads/{threadId}/secrets' as const
const ofThread = { 200: jsonAnswer(threadSecretsSchema, 'The secrets, and whether they are in effect.') }
const params = z.object({ threadId: idParam, secretId: idParam })

const getRoute = defineRoute({
  action: 'secrets.read',
  method: 'get',
  path,
  tags,
  summary: 'List the secrets that a thread can use, and those that you can let it use',
  request: { params: threadParams },
  responses: ofThread,
})
const grantRoute = defineRoute({
  action: 'secrets.grant',
  method: 'put',
  path: `${path}/{secretId}`,
  tags,
  summary: 'Let a thread use a secret, through a placeholder or by giving its sandbox the value',
  request: { params, body: jsonBody(grantSecretSchema) },
  responses: ofThread,
})
const revokeRoute = defineRoute({
  action: 'secrets.revoke',
  method: 'delete',
  path: `${path}/{secretId}`,
  tags,
  summary: 'End a thread’s use of a secret. Requests that use it end before the response',
  request: { params },
  responses: ofThread,
})

export function threadSecretRoutes(dependencies: {
  grants: ThreadSecretGrants
  /** Whether the present grants are in effect, and why not. */
  stateOf(threadId: string): Promise<Pick<ThreadSecrets, 'isInEffect' | 'problem'>>
  /** Throws `thread.not-found` unless the person can work in the thread. */
  open(userId: string, threadId: string): Promise<ThreadRow>
}): Api {
  const { grants, stateOf, open } = dependencies
  const api = makeApi()
  const present = async (userId: string, thread: ThreadRow) => ({
    secrets: await grants.list(userId, thread),
    ...(await stateOf(thread.id)),
    taintedAt: await grants.taintedAt(thread.id),
  })
  api.openapi(getRoute, async (context) => {
    const { userId } = context.get('caller')
    return context.json(await present(userId, await open(userId, context.req.valid('param').threadId)), 200)
  })
  api.openapi(grantRoute, async (context) => {
    const { userId } = context.get('caller')
    const { threadId, secretId } = context.req.valid('param')
    const thread = await open(userId, threadId)
    await grants.grant(userId, thread, { secretId, way: context.req.valid('json').way })
    return context.json(await present(userId, thread), 200)
  })
  api.openapi(revokeRoute, async (context) => {
    const { userId } = context.get('caller')
    const { threadId, secretId } = context.req.valid('param')
    const thread = await open(userId, threadId)
    await grants.revoke(userId, thread, secretId)
    return context.json(await present(userId, thread), 200)
  })
  return api
}
