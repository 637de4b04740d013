import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Network, NetworkPolicy, PrivateAddress, ThreadboxClient } from '@threadbox/sdk'
import { useClient } from '../../../page/client/client.ts'
import { queryKeys } from '../../../page/client/query-keys.ts'

/** What a policy is set for; `id` of the installation is empty. */
export type NetworkTarget = { level: 'installation' | 'workspace' | 'agent' | 'thread'; id: string }

/** The policy of the installation, and the names in each preset. */
export function useInstallationNetwork() {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.network({ level: 'installation', id: '' }),
    queryFn: ({ signal }) => client.network.get(signal),
  })
}

/** A thread’s policies, and what its sandbox asked for. */
export function useThreadNetwork(threadId: string) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.network({ level: 'thread', id: threadId }),
    queryFn: ({ signal }) => client.network.ofThread(threadId, signal),
    // Names come while programs run.
    refetchInterval: 5000,
  })
}

export function useNetwork(target: NetworkTarget) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.network(target),
    queryFn: ({ signal }) => readNetwork(client, { target, signal }),
  })
}

export function useSetNetworkPolicy(target: NetworkTarget) {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (policy: NetworkPolicy | null) => setPolicy(client, { target, policy }),
    // Inner levels inherit it.
    onSettled: () => queries.invalidateQueries({ queryKey: queryKeys.networks }),
  })
}

/** The services in private networks that policies can allow. For the owner. */
export function usePrivateAddresses() {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.privateAddresses,
    queryFn: async ({ signal }) => [...(await client.network.privateAddresses(signal)).addresses],
  })
}

export function useSetPrivateAddresses() {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (change: (addresses: readonly PrivateAddress[]) => PrivateAddress[]) => changeAddresses(client, change),
    // Policies reach them or no longer.
    onSettled: () => queries.invalidateQueries({ queryKey: queryKeys.networks }),
  })
}

/** Changes the present list, which another page may have changed since it was shown. */
async function changeAddresses(
  { network }: ThreadboxClient,
  change: (addresses: readonly PrivateAddress[]) => PrivateAddress[],
) {
  const { addresses } = await network.privateAddresses()
  return await network.setPrivateAddresses({ addresses: change(addresses) })
}

export function useAllowName(threadId: string) {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (name: string) => client.network.allowName(threadId, name),
    onSettled: () => queries.invalidateQueries({ queryKey: queryKeys.networks }),
  })
}

function readNetwork(
  { network }: ThreadboxClient,
  { target, signal }: { target: NetworkTarget; signal: AbortSignal },
): Promise<Network> {
  if (target.level === 'installation') return network.get(signal)
  if (target.level === 'workspace') return network.ofWorkspace(target.id, signal)
  return target.level === 'agent' ? network.ofAgent(target.id, signal) : network.ofThread(target.id, signal)
}

function setPolicy(
  { network }: ThreadboxClient,
  { target, policy }: { target: NetworkTarget; policy: NetworkPolicy | null },
): Promise<Network> {
  if (target.level === 'installation') return network.set({ policy })
  if (target.level === 'workspace') return network.setForWorkspace(target.id, { policy })
  return target.level === 'agent'
    ? network.setForAgent(target.id, { policy })
    : network.setForThread(target.id, { policy })
}
