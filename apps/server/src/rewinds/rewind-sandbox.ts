import type { RewoundSandbox } from '@threadbox/protocol/host'
import type { HostClient } from '../sandboxes/host-client.ts'
import type { Sandboxes } from '../sandboxes/sandbox-access.implementation.ts'
import type { ChangeSandbox } from '../sandboxes/sandbox-changes.ts'
import { memoryGone } from '../sandboxes/sandbox-rows.ts'
import type { SandboxStore } from '../sandboxes/sandboxes.store.ts'
import type { SandboxRow } from '../sandboxes/sandboxes.table.ts'

export type RewindSandboxDependencies = {
  sandboxStore: Pick<SandboxStore, 'find' | 'set'>
  host: Pick<HostClient, 'rewind'>
  changeSandbox: ChangeSandbox
  sandboxes: Pick<Sandboxes, 'waking'>
}

/**
 * Has the host exchange the disk of a sandbox, and records that it is cold. That it ends, and why, is recorded before, so
 * that whoever hears of its end first does not take it for an accident. The same order again is the same exchange.
 */
export async function rewindSandbox(
  dependencies: RewindSandboxDependencies,
  order: { threadId: string; sandboxId: string; snapshotId: string | null; keepId: string },
): Promise<RewoundSandbox> {
  const { sandboxStore, host, changeSandbox } = dependencies
  const { threadId, sandboxId, snapshotId, keepId } = order
  await dependencies.sandboxes.waking(threadId)?.catch(() => undefined)
  const before = await sandboxStore.find(threadId)
  const cause = JSON.stringify({ code: 'rewound', detail: '', pausedAt: null })
  if (before !== undefined) await sandboxStore.set(before.id, { cause_json: cause })
  let made: RewoundSandbox
  try {
    made = await host.rewind(sandboxId, { snapshotId, keepId })
  } catch (error) {
    if (before !== undefined) await sandboxStore.set(before.id, { cause_json: before.cause_json })
    throw error
  }
  const row = await sandboxStore.find(threadId)
  // Who wanted it meanwhile has started it over the disk of then.
  if (row !== undefined && row.boot_id === before?.boot_id) await goCold({ changeSandbox }, row, cause)
  return made
}

async function goCold(
  { changeSandbox }: Pick<RewindSandboxDependencies, 'changeSandbox'>,
  row: SandboxRow,
  cause: string,
): Promise<void> {
  const events = { active: 'boot-ended', pausing: 'boot-ended', paused: 'memory-dropped' } as const
  const event = events[row.state as keyof typeof events]
  if (event === undefined) return
  await changeSandbox(row, {
    ...{ event, bootId: null, detail: { code: 'rewound', params: {} } },
    columns: { ...memoryGone, awake_since: null, cause_json: cause },
  })
}
