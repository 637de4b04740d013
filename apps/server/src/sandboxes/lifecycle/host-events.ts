import type { HostEvent } from '@threadbox/protocol/host'
import type { Logger } from '@threadbox/telemetry'
import type { SandboxActivity } from '../state/activity.ts'
import type { SandboxStore } from '../state/sandboxes.store.ts'
import type { PolicyLoop } from './policy-loop.ts'
import type { SurvivalReports } from './survival-reports.ts'

/** Handles host events other than the start and the end of boots. */
export async function noteHostEvent(
  known: {
    store: SandboxStore
    activity: SandboxActivity
    policyLoop: PolicyLoop
    reports: SurvivalReports
    announce: (threadId: string) => void
    logger: Logger
  },
  event: HostEvent,
): Promise<void> {
  const { store, activity, logger } = known
  if (event.type === 'memory-budget') {
    known.policyLoop.overBudget(event).catch((error: unknown) => logger.warn({ err: error }, 'no memory was discarded'))
    return
  }
  if (event.type !== 'activity' && event.type !== 'frozen-dropped') return
  const row = await store.findById(event.sandboxId)
  if (row?.boot_id !== event.bootId) return
  if (event.type === 'frozen-dropped') {
    await store.set(row.id, { is_frozen: 0 })
    await known.reports.record(row.thread_id, { code: 'frozen-dropped' })
    known.announce(row.thread_id)
    return
  }
  const { reason, detail = '', at } = event
  // The server already knows the requests to the guest’s API, who made them and whether they count.
  if (row.state !== 'active' || (reason !== 'cpu' && reason !== 'terminal' && reason !== 'request')) return
  activity.saw(row.id, { reason, detail, at })
}
