import { z } from '@hono/zod-openapi'
import {
  connectModelSchema,
  discoveredModelSchema,
  modelConnectionSchema,
  modelTestSchema,
  updateModelSchema,
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
import type { ModelChanges } from './model-changes.ts'
import { modelOwnerOnly } from './models.errors.ts'
import type { Models } from './models.usecases.ts'

const tags = ['models']
const modelParams = z.object({ modelId: idParam })

const listRoute = defineRoute({
  action: 'models.read',
  method: 'get',
  path: '/models',
  tags,
  summary: 'List models',
  responses: {
    200: jsonAnswer(z.object({ models: z.array(modelConnectionSchema) }), 'The models, oldest first.'),
  },
})
const connectRoute = defineRoute({
  action: 'models.manage',
  method: 'post',
  path: '/models',
  tags,
  summary: 'Connect a model',
  request: { body: jsonBody(connectModelSchema) },
  responses: { 201: jsonAnswer(modelConnectionSchema, 'The new model.') },
})
const discoverRoute = defineRoute({
  action: 'models.discover',
  method: 'get',
  path: '/models/discovered',
  tags,
  summary: 'Discover models that can be connected without entering a key',
  responses: { 200: jsonAnswer(z.object({ models: z.array(discoveredModelSchema) }), 'The models that were found.') },
})
const updateRoute = defineRoute({
  action: 'models.manage',
  method: 'patch',
  path: '/models/{modelId}',
  tags,
  summary: 'Update a model',
  request: { params: modelParams, body: jsonBody(updateModelSchema) },
  responses: { 200: jsonAnswer(modelConnectionSchema, 'The updated model.') },
})
const disconnectRoute = defineRoute({
  action: 'models.manage',
  method: 'delete',
  path: '/models/{modelId}',
  tags,
  summary: 'Remove a model and its key',
  request: { params: modelParams },
  responses: { 204: { description: 'Removed.' } },
})
const testRoute = defineRoute({
  action: 'models.manage',
  method: 'post',
  path: '/models/{modelId}/test',
  tags,
  summary: 'Test a model with one request',
  request: { params: modelParams },
  responses: { 200: jsonAnswer(modelTestSchema, 'The test result.') },
})

/** Routes of models. Every signed-in user can list them; only the owner can change them or make a test call. */
export function modelRoutes(dependencies: {
  models: Models
  changes: ModelChanges
  administers(userId: string): Promise<boolean>
}): Api {
  const { models, changes } = dependencies
  const api = makeApi()
  const requireOwner = async (context: Pick<ApiContext, 'get'>) => {
    const { userId } = context.get('caller')
    if (!(await dependencies.administers(userId))) throw modelOwnerOnly({})
    return userId
  }

  api.openapi(listRoute, async (context) => context.json({ models: await models.list() }, 200))
  api.openapi(connectRoute, async (context) => {
    const userId = await requireOwner(context)
    return context.json(await changes.connect(userId, context.req.valid('json')), 201)
  })
  api.openapi(discoverRoute, async (context) => {
    await requireOwner(context)
    return context.json({ models: await models.discover() }, 200)
  })
  api.openapi(updateRoute, async (context) => {
    const userId = await requireOwner(context)
    const { modelId } = context.req.valid('param')
    return context.json(await changes.update(userId, modelId, context.req.valid('json')), 200)
  })
  api.openapi(disconnectRoute, async (context) => {
    const userId = await requireOwner(context)
    await changes.disconnect(userId, context.req.valid('param').modelId)
    return context.body(null, 204)
  })
  api.openapi(testRoute, async (context) => {
    const userId = await requireOwner(context)
    return context.json(await models.test(context.req.valid('param').modelId, userId), 200)
  })
  return api
}
