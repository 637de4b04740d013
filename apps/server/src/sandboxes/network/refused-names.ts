import { egressPolicySchema, type NamesAsked } from '@threadbox/protocol/host'
import type { Logger } from '@threadbox/telemetry'
import type { HostClient } from '../host/host-client.ts'
import type { SandboxStore } from '../state/sandboxes.store.ts'

/** The names that its policy kept a thread’s sandbox from within the last milliseconds, most frequent first. */
export type RefusedNames = (threadId: string, withinMs: number) => Promise<string[]>

/** Under `open` nothing is refused by name, except in private networks, so otherwise the host isn’t asked. */
export function makeRefusedNames(dependencies: {
  store: Pick<SandboxStore, 'find'>
  host: Pick<HostClient, 'namesAsked'>
  logger: Logger
}): RefusedNames {
  const { store, host, logger } = dependencies
  return async (threadId, withinMs) => {
    const row = await store.find(threadId)
    if (row?.egress_json == null || !canRefuse(egressPolicySchema.parse(JSON.parse(row.egress_json)))) return []
    try {
      const { refused } = await host.namesAsked(row.id, { since: 0, withinMs })
      return refused.map(({ name, reason }) => `${name}${reasonWords[reason]}`)
    } catch (error) {
      logger.warn({ err: error, sandboxId: row.id }, 'refused names of a sandbox are unknown')
      return []
    }
  }
}

function canRefuse({ kind, privateAddresses = [] }: ReturnType<typeof egressPolicySchema.parse>): boolean {
  return kind !== 'open' || privateAddresses.length > 0
}

/** For the model. */
const reasonWords: Record<NamesAsked['refused'][number]['reason'], string> = {
  policy: '',
  'address-private': ' (it has a private address)',
  'address-out-of-range': ' (it has an address outside of the range that the policy allows)',
}
