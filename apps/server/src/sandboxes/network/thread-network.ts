import type { Network, ThreadNetwork } from '@threadbox/protocol/public'
import type { HostClient } from '../host/host-client.ts'
import type { SandboxEgress } from '../state/sandbox-egress.ts'
import type { SandboxStore } from '../state/sandboxes.store.ts'

export type ThreadNetworkDependencies = {
  store: Pick<SandboxStore, 'find'>
  host: Pick<HostClient, 'namesAsked'>
  egress: Pick<SandboxEgress, 'isApplied'>
}

/** Adds to a thread’s policies whether its sandbox has them, and what the sandbox asked for. */
export async function readThreadNetwork(
  { store, host, egress }: ThreadNetworkDependencies,
  { threadId, network }: { threadId: string; network: Network },
): Promise<ThreadNetwork> {
  const row = await store.find(threadId)
  const nothing = { knownSince: null, names: [], refused: [] }
  const asked =
    row === undefined || row.has_run === 0
      ? nothing
      : await host.namesAsked(row.id, { since: 0 }).catch(() => undefined)
  return {
    ...network,
    isApplied: await egress.isApplied(row),
    activity:
      asked === undefined ? null : { knownSince: asked.knownSince, reached: asked.names, refused: asked.refused },
  }
}
