import { z } from '@hono/zod-openapi'
import {
  createWorkspaceSchema,
  placeWorkspaceSchema,
  updateWorkspaceSchema,
  workspaceContentsSchema,
  workspaceSchema,
  workspacesSchema,
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
import type { Workspaces } from './workspaces.usecases.ts'

const tags = ['workspaces']
const params = z.object({ workspaceId: idParam })
const answer = { 200: jsonAnswer(workspaceSchema, 'The workspace.') }
const listAnswer = { 200: jsonAnswer(workspacesSchema, 'All workspaces in order, with inherited values.') }
const path = '/workspaces/{workspaceId}' as const

const listRoute = defineRoute({
  action: 'workspaces.read',
  method: 'get',
  path: '/workspaces',
  tags,
  summary: 'List workspaces in sidebar order',
  responses: listAnswer,
})
const createWorkspaceRoute = defineRoute({
  action: 'workspaces.manage',
  method: 'post',
  path: '/workspaces',
  tags,
  summary: 'Create a workspace',
  request: { body: jsonBody(createWorkspaceSchema) },
  responses: { 201: jsonAnswer(workspaceSchema, 'The new workspace.') },
})
const getRoute = defineRoute({
  action: 'workspaces.read',
  method: 'get',
  path,
  tags,
  summary: 'Get a workspace',
  request: { params },
  responses: answer,
})
const updateRoute = defineRoute({
  action: 'workspaces.manage',
  method: 'patch',
  path,
  tags,
  summary: 'Update a workspace: name, state, and the instructions, model, policy and limits its threads inherit',
  request: { params, body: jsonBody(updateWorkspaceSchema) },
  responses: answer,
})
const placeRoute = defineRoute({
  action: 'workspaces.manage',
  method: 'put',
  path: `${path}/position`,
  tags,
  summary: 'Move a workspace before another one, or to the end',
  request: { params, body: jsonBody(placeWorkspaceSchema) },
  responses: listAnswer,
})
const contentsRoute = defineRoute({
  action: 'workspaces.read',
  method: 'get',
  path: `${path}/contents`,
  tags,
  summary: 'Preview what deleting a workspace removes: threads, sandboxes with sizes, services',
  request: { params },
  responses: { 200: jsonAnswer(workspaceContentsSchema, 'What the workspace contains.') },
})
const deleteRoute = defineRoute({
  action: 'workspaces.delete',
  method: 'delete',
  path,
  tags,
  summary: 'Delete a workspace with its threads and sandboxes. Can be undone for 30 seconds by default',
  request: { params },
  responses: answer,
})
const restoreRoute = defineRoute({
  action: 'workspaces.manage',
  method: 'post',
  path: `${path}/restore`,
  tags,
  summary: 'Restore a deleted workspace and its threads within the undo time',
  request: { params },
  responses: answer,
})

export function workspaceRoutes({ workspaces }: { workspaces: Workspaces }): Api {
  const api = makeApi()
  const userId = (context: Pick<ApiContext, 'get'>) => context.get('caller').userId

  api.openapi(listRoute, async (context) => context.json(await workspaces.list(userId(context)), 200))
  api.openapi(createWorkspaceRoute, async (context) =>
    context.json(await workspaces.create(userId(context), context.req.valid('json')), 201),
  )
  api.openapi(getRoute, async (context) =>
    context.json(await workspaces.get(userId(context), context.req.valid('param').workspaceId), 200),
  )
  api.openapi(updateRoute, async (context) => {
    const { workspaceId } = context.req.valid('param')
    return context.json(await workspaces.update(userId(context), workspaceId, context.req.valid('json')), 200)
  })
  api.openapi(placeRoute, async (context) => {
    const { workspaceId } = context.req.valid('param')
    return context.json(await workspaces.place(userId(context), workspaceId, context.req.valid('json').before), 200)
  })
  api.openapi(contentsRoute, async (context) =>
    context.json(await workspaces.contents(userId(context), context.req.valid('param').workspaceId), 200),
  )
  api.openapi(deleteRoute, async (context) =>
    context.json(await workspaces.delete(userId(context), context.req.valid('param').workspaceId), 200),
  )
  api.openapi(restoreRoute, async (context) =>
    context.json(await workspaces.restore(userId(context), context.req.valid('param').workspaceId), 200),
  )
  return api
}
