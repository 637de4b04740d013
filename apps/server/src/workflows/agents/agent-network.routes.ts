import { z } from '@hono/zod-openapi'
import { networkSchema, setNetworkPolicySchema } from '@threadbox/protocol/public'
import { type Api, defineRoute, idParam, jsonAnswer, jsonBody, makeApi } from '../../platform/http/api.ts'
import { changerOf, type NetworkPolicies } from '../../threads/public.ts'
import type { Agents } from './agents.usecases.ts'

const tags = ['network']
const params = z.object({ agentId: idParam })
const path = '/agents/{agentId}/network' as const
const answer = { 200: jsonAnswer(networkSchema, 'The policies of the installation, the workspace and the agent.') }

const getRoute = defineRoute({
  action: 'network.read',
  method: 'get',
  path,
  tags,
  summary: 'Get what sandboxes of an agent’s threads and runs can reach',
  request: { params },
  responses: answer,
})
const setRoute = defineRoute({
  action: 'agents.manage',
  method: 'put',
  path,
  tags,
  summary: 'Narrow what sandboxes of an agent’s threads and runs can reach. Only the owner can widen it again',
  request: { params, body: jsonBody(setNetworkPolicySchema) },
  responses: answer,
})

export function agentNetworkRoutes({
  network,
  agents,
}: {
  network: NetworkPolicies
  agents: Pick<Agents, 'choose'>
}): Api {
  const api = makeApi()
  const subjectOf = async (userId: string, order: { agentId: string; action: 'read' | 'change' }) => {
    const { agent } = await agents.choose(userId, { ...order, version: null })
    return { level: 'agent', agentId: agent.id, workspaceId: agent.workspace_id } as const
  }
  api.openapi(getRoute, async (context) => {
    const order = { ...context.req.valid('param'), action: 'read' } as const
    return context.json(await network.of(await subjectOf(context.get('caller').userId, order)), 200)
  })
  api.openapi(setRoute, async (context) => {
    const by = changerOf(context)
    const order = { ...context.req.valid('param'), action: 'change' } as const
    const { policy } = context.req.valid('json')
    return context.json(await network.set(await subjectOf(by.userId, order), policy, by), 200)
  })
  return api
}
