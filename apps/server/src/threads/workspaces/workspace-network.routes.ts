import { z } from '@hono/zod-openapi'
import { networkSchema, setNetworkPolicySchema } from '@threadbox/protocol/public'
import { type Api, defineRoute, idParam, jsonAnswer, jsonBody, makeApi } from '../../platform/http/api.ts'
import { changerOf } from '../network/network-changer.ts'
import type { NetworkPolicies } from '../network/network-policies.ts'
import type { Workspaces } from './workspaces.usecases.ts'

const tags = ['network']
const params = z.object({ workspaceId: idParam })
const path = '/workspaces/{workspaceId}/network' as const
const answer = { 200: jsonAnswer(networkSchema, 'The policies of the installation and the workspace.') }

const getRoute = defineRoute({
  action: 'network.read',
  method: 'get',
  path,
  tags,
  summary: 'Get what sandboxes of a workspace can reach',
  request: { params },
  responses: answer,
})
const setRoute = defineRoute({
  action: 'workspaces.manage',
  method: 'put',
  path,
  tags,
  summary: 'Narrow what sandboxes of a workspace can reach. Only the owner of the installation can widen it again',
  request: { params, body: jsonBody(setNetworkPolicySchema) },
  responses: answer,
})

export function workspaceNetworkRoutes({
  network,
  workspaces,
}: {
  network: NetworkPolicies
  workspaces: Pick<Workspaces, 'get' | 'requireManaged'>
}): Api {
  const api = makeApi()
  api.openapi(getRoute, async (context) => {
    const { workspaceId } = context.req.valid('param')
    await workspaces.get(context.get('caller').userId, workspaceId)
    return context.json(await network.of({ level: 'workspace', workspaceId }), 200)
  })
  api.openapi(setRoute, async (context) => {
    const { workspaceId } = context.req.valid('param')
    const by = changerOf(context)
    await workspaces.requireManaged(by.userId, workspaceId)
    const { policy } = context.req.valid('json')
    return context.json(await network.set({ level: 'workspace', workspaceId }, policy, by), 200)
  })
  return api
}
