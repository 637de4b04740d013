import type { Logger } from '@threadbox/telemetry'
import type { HostClient } from '../host/host-client.ts'
import type { SandboxStore } from '../state/sandboxes.store.ts'

/** The names that its policy kept a thread’s sandbox from within the last milliseconds, most frequent first. */
export type RefusedNames = (threadId: string, withinMs: number) => Promise<string[]>

/** Under `open` nothing is refused by name, so the host isn’t asked. */
export function makeRefusedNames(dependencies: {
  store: Pick<SandboxStore, 'find'>
  host: Pick<HostClient, 'namesAsked'>
  logger: Logger
}): RefusedNames {
  const { store, host, logger } = dependencies
  return async (threadId, withinMs) => {
    const row = await store.find(threadId)
    if (row?.egress_json == null || row.egress_json.startsWith('{"kind":"open"')) return []
    try {
      const { refused } = await host.namesAsked(row.id, { since: 0, withinMs })
      return refused.map(({ name }) => name)
    } catch (error) {
      logger.warn({ err: error, sandboxId: row.id }, 'refused names of a sandbox are unknown')
      return []
    }
  }
}
