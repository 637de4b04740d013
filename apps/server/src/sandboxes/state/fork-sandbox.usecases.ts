import type { ForkedSandbox } from '@threadbox/protocol/host'
import type { WakeCause } from '@threadbox/protocol/public'
import type { System } from '../../platform/system/system.ts'
import type { HostClient } from '../host/host-client.ts'
import type { SandboxEgress } from './sandbox-egress.ts'
import { hostnameOf, limitsOf, newSandbox } from './sandbox-rows.ts'
import type { SandboxStore } from './sandboxes.store.ts'
import type { SandboxRow } from './sandboxes.table.ts'
import type { Transition } from './transitions.ts'

export type ForkSandboxDependencies = {
  store: SandboxStore
  host: Pick<HostClient, 'fork'>
  transition: Transition
  egress: Pick<SandboxEgress, 'ordered'>
  hashKeyOf: (sandboxId: string) => string
  system: System
}

/** The columns of a sandbox that a copy of it needs. */
export type ForkSource = Pick<
  SandboxRow,
  'id' | 'memory_bytes' | 'cpus' | 'processes' | 'disk_bytes' | 'own_limits_json' | (typeof policyNames)[number]
>

const policyNames = [
  ...(['idle_pause_minutes', 'hot_hours', 'hot_keep', 'max_awake_hours', 'retention_days', 'max_services'] as const),
] as const

/**
 * Gives a thread a sandbox that begins as a copy of another one; `snapshotId` null: of its current state. It is
 * recorded before it is ordered, so that what a crash leaves on the host is removed with the thread.
 */
export async function forkSandbox(
  dependencies: ForkSandboxDependencies,
  order: { source: ForkSource; snapshotId: string | null; threadId: string; cause?: WakeCause },
): Promise<ForkedSandbox> {
  const { store, host, transition, hashKeyOf, system } = dependencies
  const { source, snapshotId, threadId } = order
  const [id, bootId] = [system.newId('sandbox'), system.newId('boot')]
  const limits = limitsOf(source)
  const fresh = newSandbox({ id, threadId, now: system.now(), limits })
  const row = { ...fresh, own_limits_json: source.own_limits_json, ...policyColumns(source) }
  await store.insertIfMissing(row)
  return await dependencies.egress.ordered(row, async (egress) => {
    const made = await host.fork(id, {
      source: { sandboxId: source.id, snapshotId },
      bootId,
      hostname: hostnameOf(id),
      limits,
      egress,
      hashKey: hashKeyOf(id),
    })
    await transition(
      row,
      made.from === 'memory'
        ? { type: 'forked-awake', bootId }
        : { type: 'forked-cold', cause: order.cause ?? 'forked', problem: made.problem },
    )
    return made
  })
}

/** The policy that a person set for the source also applies to its copy. */
function policyColumns(row: ForkSource): Pick<SandboxRow, (typeof policyNames)[number]> {
  const { idle_pause_minutes, hot_hours, hot_keep, max_awake_hours, retention_days, max_services } = row
  return { idle_pause_minutes, hot_hours, hot_keep, max_awake_hours, retention_days, max_services }
}
