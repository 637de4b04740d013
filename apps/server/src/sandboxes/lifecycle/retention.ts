import type { System } from '../../platform/system/system.ts'
import type { HostClient } from '../host/host-client.ts'
import type { LifecycleRecorder } from '../state/lifecycle-recorder.ts'
import type { Sandbox, StartCause } from '../state/sandbox.logic.ts'
import { limitsOf, newSandbox } from '../state/sandbox-rows.ts'
import type { SandboxStore } from '../state/sandboxes.store.ts'
import type { Transition } from '../state/transitions.ts'

export type RetentionDependencies = {
  store: SandboxStore
  host: HostClient
  transition: Transition
  system: System
  recorder: LifecycleRecorder
  announce: (threadId: string) => void
  /** False for a thread that is being deleted: the deletion of the thread removes its sandbox. */
  isKept: (threadId: string) => Promise<boolean>
  /** Deletes the archived files of this sandbox. */
  forgetArchive: (sandboxId: string) => Promise<void>
}

/**
 * Removes the sandbox of a thread whose retention time is over; the conversation stays. The thread is fresh afterwards,
 * with a new sandbox ID, and its next start reports that the files are gone.
 */
export async function removeFiles(dependencies: RetentionDependencies, row: Sandbox, days: number): Promise<void> {
  const { store, host, transition, system } = dependencies
  const reason = `The files were removed after ${days} days without use.`
  const cause: StartCause = { code: 'disk-missing', detail: reason, pausedAt: row.paused_at }
  const deleting = row.state === 'deleting' ? row : await transition(row, { type: 'delete-requested', cause })
  if (deleting === undefined) return
  await host.delete(row.id)
  await dependencies.forgetArchive(row.id)
  const id = system.newId('sandbox')
  const fresh = newSandbox({ id, threadId: row.thread_id, now: system.now(), limits: limitsOf(row) })
  await store.replace(row.id, {
    ...fresh,
    idle_pause_minutes: row.idle_pause_minutes,
    hot_hours: row.hot_hours,
    hot_keep: row.hot_keep,
    max_awake_hours: row.max_awake_hours,
    retention_days: row.retention_days,
    max_services: row.max_services,
    own_limits_json: row.own_limits_json,
    cause: deleting.cause,
  })
  await dependencies.recorder.record(row.thread_id, { code: 'files-removed', params: { days } })
  dependencies.announce(row.thread_id)
}

/** Completes removals that a crash interrupted. */
export async function recoverRemovals(dependencies: RetentionDependencies): Promise<void> {
  for (const row of await dependencies.store.all()) {
    if (row.state !== 'deleting' || !(await dependencies.isKept(row.thread_id))) continue
    await removeFiles(dependencies, row, row.retention_days ?? 0)
  }
}
