import {
  allowNetworkNameSchema,
  type Network,
  setNetworkPolicySchema,
  threadNetworkSchema,
} from '@threadbox/protocol/public'
import {
  type Api,
  defineRoute,
  jsonAnswer,
  jsonBody,
  makeApi,
  type OpenThread,
  threadOpener,
  threadParams,
} from '../../platform/http/api.ts'
import { changerOf, type NetworkPolicies } from '../../threads/public.ts'
import { readThreadNetwork, type ThreadNetworkDependencies } from './thread-network.ts'

const tags = ['network']
const path = '/threads/{threadId}/network' as const
const answer = { 200: jsonAnswer(threadNetworkSchema, 'The policies, and what the sandbox asked for.') }

const getRoute = defineRoute({
  action: 'network.read',
  method: 'get',
  path,
  tags,
  summary: 'Get what a thread’s sandbox can reach, what it reached, and what was refused',
  request: { params: threadParams },
  responses: answer,
})
const setRoute = defineRoute({
  action: 'network.narrow',
  method: 'put',
  path,
  tags,
  summary: 'Narrow what a thread’s sandbox can reach. Only the owner of the installation can widen it again',
  request: { params: threadParams, body: jsonBody(setNetworkPolicySchema) },
  responses: answer,
})
const allowRoute = defineRoute({
  action: 'network.widen',
  method: 'post',
  path: `${path}/names`,
  tags,
  summary: 'Add a name to each list that keeps a thread’s sandbox from it (owner only)',
  request: { params: threadParams, body: jsonBody(allowNetworkNameSchema) },
  responses: answer,
})

export function threadNetworkRoutes(
  dependencies: ThreadNetworkDependencies & { network: NetworkPolicies; open: OpenThread },
): Api {
  const { network } = dependencies
  const api = makeApi()
  const opened = threadOpener(dependencies.open)
  const present = async (threadId: string, given?: Network) =>
    readThreadNetwork(dependencies, { threadId, network: given ?? (await network.of({ level: 'thread', threadId })) })

  api.openapi(getRoute, async (context) => {
    const threadId = await opened(context, context.req.valid('param').threadId)
    return context.json(await present(threadId), 200)
  })
  api.openapi(setRoute, async (context) => {
    const threadId = await opened(context, context.req.valid('param').threadId)
    const { policy } = context.req.valid('json')
    return context.json(
      await present(threadId, await network.set({ level: 'thread', threadId }, policy, changerOf(context))),
      200,
    )
  })
  api.openapi(allowRoute, async (context) => {
    const threadId = await opened(context, context.req.valid('param').threadId)
    await network.allowName(threadId, context.req.valid('json').name, changerOf(context))
    return context.json(await present(threadId), 200)
  })
  return api
}
