import { z } from '@hono/zod-openapi'
import {
  acceptAgentDraftSchema,
  agentDraftFileSchema,
  agentDraftSchema,
  agentDraftSummarySchema,
  agentDraftsSchema,
  agentSchema,
} from '@threadbox/protocol/public'
import { type Api, type ApiContext, defineRoute, idParam, jsonAnswer, jsonBody } from '../../platform/http/api.ts'
import type { AgentDrafts } from './agent-drafts.usecases.ts'

const tags = ['agents']
const action = 'agents.import'
const path = '/agent-drafts/{draftId}' as const
const params = z.object({ draftId: idParam })

const importRoute = defineRoute({
  action,
  method: 'post',
  path: '/agents/import',
  tags,
  summary: 'Import an exported agent file (raw body) as a draft, for yourself or a workspace',
  request: { query: z.object({ workspaceId: z.string().min(1).max(64).optional() }) },
  responses: { 201: jsonAnswer(agentDraftSchema, 'The draft. It can do nothing until a person accepts it.') },
})
const listRoute = defineRoute({
  action,
  method: 'get',
  path: '/agent-drafts',
  tags,
  summary: 'List imported agent files that wait for your review',
  responses: { 200: jsonAnswer(agentDraftsSchema, 'All drafts, oldest first.') },
})
const getRoute = defineRoute({
  action,
  method: 'get',
  path,
  tags,
  summary: 'Get everything in an imported agent file that would run or be given to a model',
  request: { params },
  responses: { 200: jsonAnswer(agentDraftSchema, 'The draft, compared with the agent of the same name.') },
})
const fileRoute = defineRoute({
  action,
  method: 'get',
  path: `${path}/skills/{skill}/file`,
  tags,
  summary: 'Get one file of a skill in an imported agent file',
  request: { params: params.extend({ skill: idParam }), query: z.object({ file: z.string().min(1).max(500) }) },
  responses: { 200: jsonAnswer(agentDraftFileSchema, 'The file.') },
})
const acceptRoute = defineRoute({
  action,
  method: 'post',
  path: `${path}/accept`,
  tags,
  summary: 'Make an imported agent file an agent with what you accept of it',
  request: { params, body: jsonBody(acceptAgentDraftSchema) },
  responses: { 201: jsonAnswer(agentSchema, 'The agent, with the ID of the draft.') },
})
const declineRoute = defineRoute({
  action,
  method: 'delete',
  path,
  tags,
  summary: 'Decline an imported agent file and delete it',
  request: { params },
  responses: { 200: jsonAnswer(agentDraftSummarySchema, 'The declined draft.') },
})

export function addDraftRoutes(api: Api, drafts: AgentDrafts): void {
  const userId = (context: Pick<ApiContext, 'get'>) => context.get('caller').userId
  api.openapi(importRoute, async (context) => {
    const { workspaceId = null } = context.req.valid('query')
    const bytes = context.req.raw.body ?? new Blob([]).stream()
    return context.json(await drafts.import(userId(context), { workspaceId, bytes }), 201)
  })
  api.openapi(listRoute, async (context) => context.json(await drafts.list(userId(context)), 200))
  api.openapi(getRoute, async (context) =>
    context.json(await drafts.get(userId(context), context.req.valid('param').draftId), 200),
  )
  api.openapi(fileRoute, async (context) => {
    const { draftId, skill } = context.req.valid('param')
    const wanted = { skill, path: context.req.valid('query').file }
    return context.json(await drafts.file(userId(context), draftId, wanted), 200)
  })
  api.openapi(acceptRoute, async (context) => {
    const { draftId } = context.req.valid('param')
    return context.json(await drafts.accept(userId(context), draftId, context.req.valid('json')), 201)
  })
  api.openapi(declineRoute, async (context) =>
    context.json(await drafts.decline(userId(context), context.req.valid('param').draftId), 200),
  )
}
