import { z } from '@hono/zod-openapi'
import {
  askForMoreSchema,
  createQuotaPresetSchema,
  decideQuotaRequestSchema,
  personQuotasSchema,
  quotaPresetSchema,
  quotaPresetsSchema,
  quotaRequestSchema,
  quotaRequestsSchema,
  quotasSchema,
  updateOwnQuotasSchema,
  updatePersonQuotasSchema,
  updateQuotaPresetSchema,
} from '@threadbox/protocol/public'
import {
  type Api,
  type ApiContext,
  defineRoute,
  idParam,
  jsonAnswer,
  jsonBody,
  makeApi,
} from '../../platform/http/api.ts'
import type { Quotas } from './quotas.usecases.ts'

const tags = ['quotas']
const presetParams = z.object({ presetId: idParam })
const personParams = z.object({ personId: idParam })

const ownRoute = defineRoute({
  action: 'usage.read',
  method: 'get',
  path: '/quotas',
  tags,
  summary: 'Get your limits and what you have used of them',
  responses: { 200: jsonAnswer(quotasSchema, 'The limits, and what you have asked for.') },
})
const updateOwnRoute = defineRoute({
  action: 'account.manage',
  method: 'patch',
  path: '/quotas',
  tags,
  summary: 'Set your own limits below those that are assigned to you',
  request: { body: jsonBody(updateOwnQuotasSchema) },
  responses: { 200: jsonAnswer(quotasSchema, 'The limits.') },
})
const askRoute = defineRoute({
  action: 'account.manage',
  method: 'post',
  path: '/quotas/requests',
  tags,
  summary: 'Ask for a higher limit',
  request: { body: jsonBody(askForMoreSchema) },
  responses: { 201: jsonAnswer(quotaRequestSchema, 'The owner and admins see the request.') },
})
const requestsRoute = defineRoute({
  action: 'people.list-invites',
  method: 'get',
  path: '/quota-requests',
  tags,
  summary: 'List who asks for higher limits (owner and admins only)',
  responses: { 200: jsonAnswer(quotaRequestsSchema, 'The open requests, oldest first.') },
})
const decideRoute = defineRoute({
  action: 'people.manage',
  method: 'post',
  path: '/quota-requests/{requestId}/decision',
  tags,
  summary: 'Grant a higher limit, or refuse it',
  request: { params: z.object({ requestId: idParam }), body: jsonBody(decideQuotaRequestSchema) },
  responses: { 204: { description: 'Decided.' } },
})
const presetsRoute = defineRoute({
  action: 'people.list-invites',
  method: 'get',
  path: '/quota-presets',
  tags,
  summary: 'List sets of limits (owner and admins only)',
  responses: { 200: jsonAnswer(quotaPresetsSchema, 'The one of members first, then by name.') },
})
const createPresetRoute = defineRoute({
  action: 'people.manage',
  method: 'post',
  path: '/quota-presets',
  tags,
  summary: 'Create a set of limits',
  request: { body: jsonBody(createQuotaPresetSchema) },
  responses: { 201: jsonAnswer(quotaPresetSchema, 'The new set.') },
})
const updatePresetRoute = defineRoute({
  action: 'people.manage',
  method: 'patch',
  path: '/quota-presets/{presetId}',
  tags,
  summary: 'Change a set of limits',
  request: { params: presetParams, body: jsonBody(updateQuotaPresetSchema) },
  responses: { 200: jsonAnswer(quotaPresetSchema, 'It applies immediately to everyone who has it.') },
})
const removePresetRoute = defineRoute({
  action: 'people.manage',
  method: 'delete',
  path: '/quota-presets/{presetId}',
  tags,
  summary: 'Remove a set of limits. Who has it gets the one of members',
  request: { params: presetParams },
  responses: { 204: { description: 'Removed.' } },
})
const personRoute = defineRoute({
  action: 'people.list-invites',
  method: 'get',
  path: '/people/{personId}/quotas',
  tags,
  summary: 'Get a person’s limits and what they have used of them (owner and admins only)',
  request: { params: personParams },
  responses: { 200: jsonAnswer(personQuotasSchema, 'The limits.') },
})
const updatePersonRoute = defineRoute({
  action: 'people.manage',
  method: 'patch',
  path: '/people/{personId}/quotas',
  tags,
  summary: 'Set a person’s limits',
  request: { params: personParams, body: jsonBody(updatePersonQuotasSchema) },
  responses: { 200: jsonAnswer(personQuotasSchema, 'The limits.') },
})

export function quotaRoutes({ quotas }: { quotas: Quotas }): Api {
  const api = makeApi()
  const { administration } = quotas
  const caller = (context: Pick<ApiContext, 'get'>) => context.get('caller').userId
  api.openapi(ownRoute, async (context) => context.json(await quotas.own(caller(context)), 200))
  api.openapi(updateOwnRoute, async (context) =>
    context.json(await quotas.updateOwn(caller(context), context.req.valid('json')), 200),
  )
  api.openapi(askRoute, async (context) =>
    context.json(await quotas.ask(caller(context), context.req.valid('json')), 201),
  )
  api.openapi(requestsRoute, async (context) =>
    context.json({ requests: await administration.requests(caller(context)) }, 200),
  )
  api.openapi(decideRoute, async (context) => {
    const { requestId } = context.req.valid('param')
    await administration.decide(caller(context), requestId, context.req.valid('json'))
    return context.body(null, 204)
  })
  api.openapi(presetsRoute, async (context) =>
    context.json({ presets: await administration.presets(caller(context)) }, 200),
  )
  api.openapi(createPresetRoute, async (context) =>
    context.json(await administration.createPreset(caller(context), context.req.valid('json')), 201),
  )
  api.openapi(updatePresetRoute, async (context) => {
    const { presetId } = context.req.valid('param')
    return context.json(await administration.updatePreset(caller(context), presetId, context.req.valid('json')), 200)
  })
  api.openapi(removePresetRoute, async (context) => {
    await administration.removePreset(caller(context), context.req.valid('param').presetId)
    return context.body(null, 204)
  })
  api.openapi(personRoute, async (context) =>
    context.json(await administration.ofPerson(caller(context), context.req.valid('param').personId), 200),
  )
  api.openapi(updatePersonRoute, async (context) => {
    const { personId } = context.req.valid('param')
    return context.json(await administration.updatePerson(caller(context), personId, context.req.valid('json')), 200)
  })
  return api
}
