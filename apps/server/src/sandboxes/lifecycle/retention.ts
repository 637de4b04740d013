import type { System } from '../../platform/system/system.ts'
import type { HostClient } from '../host/host-client.ts'
import type { LifecycleRecorder } from '../state/lifecycle-recorder.ts'
import type { ChangeSandbox } from '../state/sandbox-changes.ts'
import { newSandboxRow, type StartCause } from '../state/sandbox-rows.ts'
import type { SandboxStore } from '../state/sandboxes.store.ts'
import type { SandboxRow } from '../state/sandboxes.table.ts'

export type RetentionDependencies = {
  store: SandboxStore
  host: HostClient
  change: ChangeSandbox
  system: System
  recorder: LifecycleRecorder
  announce: (threadId: string) => void
  /** False for a thread that is being deleted: its sandbox is somebody else's work. */
  isKept: (threadId: string) => Promise<boolean>
}

/**
 * Removes the sandbox of a thread whose time is over; the conversation stays. The thread is fresh afterwards, with a
 * sandbox of another id, and its next start reports that the files are gone.
 */
export async function removeFiles(dependencies: RetentionDependencies, row: SandboxRow, days: number): Promise<void> {
  const { store, host, change, system } = dependencies
  const reason = `The files were removed after ${days} days without use.`
  const cause: StartCause = { code: 'disk-missing', detail: reason, pausedAt: row.paused_at }
  const deleting =
    row.state === 'deleting'
      ? row
      : await change(row, { event: 'delete-requested', columns: { cause_json: JSON.stringify(cause) } })
  if (deleting === undefined) return
  await host.delete(row.id)
  const limits = { memoryBytes: row.memory_bytes, cpus: row.cpus, processes: row.processes, diskBytes: row.disk_bytes }
  const id = system.newId('sandbox')
  const fresh = newSandboxRow({ id, threadId: row.thread_id, now: system.now(), limits })
  await store.replace(row.id, {
    ...fresh,
    idle_pause_minutes: row.idle_pause_minutes,
    hot_hours: row.hot_hours,
    hot_keep: row.hot_keep,
    max_awake_hours: row.max_awake_hours,
    retention_days: row.retention_days,
    max_services: row.max_services,
    own_limits_json: row.own_limits_json,
    cause_json: deleting.cause_json,
  })
  await dependencies.recorder.record(row.thread_id, { code: 'files-removed', params: { days } })
  dependencies.announce(row.thread_id)
}

/** Removals that a crash cut off. */
export async function recoverRemovals(dependencies: RetentionDependencies): Promise<void> {
  for (const row of await dependencies.store.all()) {
    if (row.state !== 'deleting' || !(await dependencies.isKept(row.thread_id))) continue
    await removeFiles(dependencies, row, row.retention_days ?? 0)
  }
}
