import type { ForkedSandbox } from '@threadbox/protocol/host'
import type { System } from '../../platform/system/system.ts'
import type { ForkSource } from '../state/fork-sandbox.usecases.ts'
import type { SandboxStore } from '../state/sandboxes.store.ts'
import type { ServiceStore } from './services.store.ts'
import type { ServiceRow } from './services.table.ts'

/** A stored service: what starts it. */
export type KeptService = Omit<ServiceRow, 'thread_id' | 'position' | 'boot_id' | 'since' | 'problem_json'>

export type BeginAs = (order: {
  threadId: string
  source: ForkSource
  services: readonly KeptService[]
  /** What was saved of its memory when it was captured; null if nothing was. */
  rescueJson: string | null
}) => Promise<void>

/**
 * Gives a thread a sandbox that begins as a copy of one that belongs to no thread, with its services. The source stays
 * unchanged.
 */
export function makeBeginAs(ports: {
  forkSandbox: (order: {
    source: ForkSource
    snapshotId: null
    threadId: string
    cause: 'from-agent'
  }) => Promise<ForkedSandbox>
  store: Pick<SandboxStore, 'find' | 'setMemory'>
  serviceStore: Pick<ServiceStore, 'put'>
  system: System
}): BeginAs {
  const { forkSandbox, store, serviceStore, system } = ports
  return async ({ threadId, source, services, rescueJson }) => {
    const forked = await forkSandbox({ source, snapshotId: null, threadId, cause: 'from-agent' })
    const made = await store.find(threadId)
    if (made !== undefined) {
      await store.setMemory({ sandbox_id: made.id, manifest_json: null, rescue_json: rescueJson })
    }
    for (const service of services) {
      // Services whose programs keep running are known to the guest by their key, with the state that they had.
      const boot_id = forked.from === 'memory' ? (made?.boot_id ?? null) : null
      await serviceStore.put({ ...service, thread_id: threadId, boot_id, since: system.now(), problem_json: null })
    }
  }
}
