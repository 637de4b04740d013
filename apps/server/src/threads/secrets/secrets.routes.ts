import { z } from '@hono/zod-openapi'
import { createSecretSchema, secretSchema, secretsSchema, updateSecretSchema } from '@threadbox/protocol/public'
import { type Api, defineRoute, idParam, jsonAnswer, jsonBody, makeApi } from '../../platform/http/api.ts'
import type { Secrets } from './secrets.usecases.ts'

const tags = ['secrets']
const secretParams = z.object({ secretId: idParam })
const inWorkspace = z.object({ secretId: idParam, workspaceId: idParam })
const changed = { 200: jsonAnswer(secretSchema, 'The changed secret.') }

const listRoute = defineRoute({
  action: 'secrets.read',
  method: 'get',
  path: '/secrets',
  tags,
  summary: 'List the secrets that you can manage, without their values',
  responses: { 200: jsonAnswer(secretsSchema, 'The secrets, oldest first.') },
})
const createSecretRoute = defineRoute({
  action: 'secrets.manage',
  method: 'post',
  path: '/secrets',
  tags,
  summary: 'Add a secret that sandboxes can use without getting its value',
  request: { body: jsonBody(createSecretSchema) },
  responses: { 201: jsonAnswer(secretSchema, 'The new secret. No thread can use it yet.') },
})
const updateRoute = defineRoute({
  action: 'secrets.manage',
  method: 'patch',
  path: '/secrets/{secretId}',
  tags,
  summary: 'Change a secret. A new value replaces the old one in all sandboxes',
  request: { params: secretParams, body: jsonBody(updateSecretSchema) },
  responses: changed,
})
const deleteRoute = defineRoute({
  action: 'secrets.manage',
  method: 'delete',
  path: '/secrets/{secretId}',
  tags,
  summary: 'Delete a secret with its value and all grants',
  request: { params: secretParams },
  responses: { 204: { description: 'Deleted. No request uses it anymore.' } },
})
const grantRoute = defineRoute({
  action: 'secrets.grant',
  method: 'put',
  path: '/secrets/{secretId}/workspaces/{workspaceId}',
  tags,
  summary: 'Let all threads of a workspace use a secret',
  request: { params: inWorkspace },
  responses: changed,
})
const revokeRoute = defineRoute({
  action: 'secrets.revoke',
  method: 'delete',
  path: '/secrets/{secretId}/workspaces/{workspaceId}',
  tags,
  summary: 'End what lets all threads of a workspace use a secret',
  request: { params: inWorkspace },
  responses: changed,
})

/** Routes of secrets. The use cases check who can manage them. */
export function secretRoutes({ secrets }: { secrets: Secrets }): Api {
  const api = makeApi()
  api.openapi(listRoute, async (context) =>
    context.json({ secrets: await secrets.list(context.get('caller').userId) }, 200),
  )
  api.openapi(createSecretRoute, async (context) =>
    context.json(await secrets.create(context.get('caller').userId, context.req.valid('json')), 201),
  )
  api.openapi(updateRoute, async (context) => {
    const { secretId } = context.req.valid('param')
    return context.json(await secrets.update(context.get('caller').userId, secretId, context.req.valid('json')), 200)
  })
  api.openapi(deleteRoute, async (context) => {
    await secrets.delete(context.get('caller').userId, context.req.valid('param').secretId)
    return context.body(null, 204)
  })
  api.openapi(grantRoute, async (context) => {
    const { secretId, workspaceId } = context.req.valid('param')
    return context.json(await secrets.grantToWorkspace(context.get('caller').userId, secretId, workspaceId), 200)
  })
  api.openapi(revokeRoute, async (context) => {
    const { secretId, workspaceId } = context.req.valid('param')
    return context.json(await secrets.revokeFromWorkspace(context.get('caller').userId, secretId, workspaceId), 200)
  })
  return api
}
