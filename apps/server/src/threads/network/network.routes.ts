import { networkPresetIds, networkPresets } from '@threadbox/domain'
import { installationNetworkSchema, privateAddressesSchema, setNetworkPolicySchema } from '@threadbox/protocol/public'
import { ownerRequired, type Users } from '../../people/public.ts'
import { type Api, defineRoute, jsonAnswer, jsonBody, makeApi } from '../../platform/http/api.ts'
import { changerOf } from './network-changer.ts'
import type { NetworkPolicies } from './network-policies.ts'
import type { PrivateAddresses } from './private-addresses.ts'

const tags = ['network']
const answer = { 200: jsonAnswer(installationNetworkSchema, 'The policy, and the names in each preset.') }

const getRoute = defineRoute({
  action: 'network.read',
  method: 'get',
  path: '/network',
  tags,
  summary: 'Get what sandboxes of this installation can reach',
  responses: answer,
})
const setRoute = defineRoute({
  action: 'network.manage',
  method: 'put',
  path: '/network',
  tags,
  summary: 'Set what sandboxes of this installation can reach (owner only). Applies within a second',
  request: { body: jsonBody(setNetworkPolicySchema) },
  responses: answer,
})

const privateAnswer = { 200: jsonAnswer(privateAddressesSchema, 'The services in private networks.') }
const privateAddressesPath = '/network/private-addresses'

const listPrivateRoute = defineRoute({
  action: 'settings.read',
  method: 'get',
  path: privateAddressesPath,
  tags,
  summary: 'List the services in private networks that policies can allow (owner only)',
  responses: privateAnswer,
})
const setPrivateRoute = defineRoute({
  action: 'network.manage',
  method: 'put',
  path: privateAddressesPath,
  tags,
  summary: 'Set which services in private networks policies can allow (owner only). Applies within a second',
  request: { body: jsonBody(privateAddressesSchema) },
  responses: privateAnswer,
})

export function networkRoutes({
  network,
  privateAddresses,
  users,
}: {
  network: NetworkPolicies
  privateAddresses: PrivateAddresses
  users: Pick<Users, 'administers'>
}): Api {
  const api = makeApi()
  const presets = networkPresetIds.map((id) => ({ id, names: networkPresets[id].map((entry) => ({ ...entry })) }))
  const subject = { level: 'installation' } as const
  api.openapi(getRoute, async (context) => context.json({ ...(await network.of(subject)), presets }, 200))
  api.openapi(setRoute, async (context) => {
    const by = changerOf(context)
    if (!(await users.administers(by.userId))) throw ownerRequired({})
    const { policy } = context.req.valid('json')
    return context.json({ ...(await network.set(subject, policy, by)), presets }, 200)
  })
  api.openapi(listPrivateRoute, async (context) =>
    context.json({ addresses: await privateAddresses.listFor(context.get('caller').userId) }, 200),
  )
  api.openapi(setPrivateRoute, async (context) => {
    const { addresses } = context.req.valid('json')
    return context.json({ addresses: await privateAddresses.set(addresses, changerOf(context)) }, 200)
  })
  return api
}
