import type { RewindSandbox, RewoundSandbox } from '@threadbox/protocol/host'
import type { WakeCause } from '@threadbox/protocol/public'
import type { System } from '../../platform/system/system.ts'
import type { HostClient } from '../host/host-client.ts'
import type { Sandboxes } from './sandbox-access.implementation.ts'
import type { ChangeSandbox } from './sandbox-changes.ts'
import { memoryGone } from './sandbox-rows.ts'
import type { SandboxStore } from './sandboxes.store.ts'
import type { SandboxRow } from './sandboxes.table.ts'

export type RewindSandboxDependencies = {
  sandboxStore: Pick<SandboxStore, 'find' | 'set' | 'setMemory'>
  host: Pick<HostClient, 'rewind'>
  changeSandbox: ChangeSandbox
  sandboxes: Pick<Sandboxes, 'exclusively'>
  system: Pick<System, 'now'>
}

/** `manifestJson`: what ran at the moment to which it goes, for the report of what comes next; null where nobody knows. */
export type RewindOrder = RewindSandbox & {
  threadId: string
  sandboxId: string
  manifestJson: string | null
  cause: ExchangeCause
}

export type ExchangeCause = Extract<WakeCause, 'rewound' | 'rewind-undone'>

/**
 * Has the host exchange the disk of a sandbox, and records what came of it: a boot out of the memory of then, or that it is
 * cold. That it ends, and why, is recorded before, so that whoever hears of its end first does not take it for an accident;
 * and nobody wakes it meanwhile. The same order again is the same exchange.
 */
export async function rewindSandbox(
  dependencies: RewindSandboxDependencies,
  order: RewindOrder,
): Promise<RewoundSandbox> {
  return await dependencies.sandboxes.exclusively(order.threadId, () => exchange(dependencies, order))
}

async function exchange(
  dependencies: RewindSandboxDependencies,
  { threadId, sandboxId, manifestJson, cause, ...order }: RewindOrder,
): Promise<RewoundSandbox> {
  const { sandboxStore, host } = dependencies
  const before = await sandboxStore.find(threadId)
  const causeOf = (detail: string) => JSON.stringify({ code: cause, detail, pausedAt: null })
  if (before !== undefined) await sandboxStore.set(before.id, { cause_json: causeOf('') })
  let made: RewoundSandbox
  try {
    made = await host.rewind(sandboxId, order)
  } catch (error) {
    if (before !== undefined) await sandboxStore.set(before.id, { cause_json: before.cause_json })
    throw error
  }
  const row = await sandboxStore.find(threadId)
  if (row !== undefined) {
    await sandboxStore.setMemory({ sandbox_id: row.id, manifest_json: manifestJson, rescue_json: null })
  }
  if (row === undefined || (row.state === 'active' && row.boot_id === order.bootId)) return made
  const cause_json = causeOf(made.problem)
  const cold = await goCold(dependencies, { row, cause, causeJson: cause_json })
  await sandboxStore.set(row.id, { cause_json })
  if (made.from === 'memory') await goOn(dependencies, { ...cold, cause_json }, order.bootId ?? '')
  return made
}

async function goCold(
  { changeSandbox }: Pick<RewindSandboxDependencies, 'changeSandbox'>,
  { row, cause, causeJson }: { row: SandboxRow; cause: ExchangeCause; causeJson: string },
): Promise<SandboxRow> {
  const events = { active: 'boot-ended', pausing: 'boot-ended', paused: 'memory-dropped' } as const
  const event = events[row.state as keyof typeof events]
  if (event === undefined) return row
  const cold = await changeSandbox(row, {
    event,
    bootId: null,
    detail: { code: cause, params: {} },
    columns: { ...memoryGone, awake_since: null, cause_json: causeJson },
  })
  return cold ?? row
}

/** What ran then runs. Its report waits for its place in the conversation. */
async function goOn(
  { changeSandbox, system }: Pick<RewindSandboxDependencies, 'changeSandbox' | 'system'>,
  row: SandboxRow,
  bootId: string,
): Promise<void> {
  const starting = await changeSandbox(row, { event: 'start-requested', bootId })
  if (starting === undefined) return
  const now = system.now()
  const fresh = { limit_announced: 0, retention_announced_at: null, cause_json: null, wake_json: null }
  await changeSandbox(starting, {
    event: 'boot-ready',
    columns: { ...memoryGone, ...fresh, has_run: 1, awake_since: now, used_at: now },
  })
}
