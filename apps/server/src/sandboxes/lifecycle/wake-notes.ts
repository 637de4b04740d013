import { waitAtMost } from '@threadbox/concurrency'
import type { SurvivalReport } from '@threadbox/protocol/public'
import type { LogTransaction } from '../../threads/public.ts'
import type { Sandboxes } from '../state/sandbox-access.implementation.ts'
import { type LifecycleStore, lifecycleWriterOf } from './lifecycle.store.ts'
import type { SurvivalReports } from './survival-reports.ts'
import { wakeNote } from './wake-note.logic.ts'

/** What the agent does not know yet about its sandbox, and how to record that it got it. */
export type WakeNotes = {
  /**
   * Returns what happened to the sandbox that the agent does not know yet. Waits briefly for a wake in progress and for
   * the first check after it, so that the very next request to the model carries the report.
   */
  pending(threadId: string, signal: AbortSignal): Promise<PendingNote | undefined>
}

export type PendingNote = { text: string; markTold(transaction: LogTransaction): Promise<void> }

/** Longest delay of a response. A report that takes longer goes with a later step. */
const maxWaitMs = 2500

export function makeWakeNotes(dependencies: {
  store: LifecycleStore
  reports: Pick<SurvivalReports, 'checked'>
  sandboxes: Pick<Sandboxes, 'waking'>
}): WakeNotes {
  const { store } = dependencies
  return {
    pending: async (threadId, signal) => {
      const settled = async () => {
        await dependencies.sandboxes.waking(threadId)?.catch(() => undefined)
        await dependencies.reports.checked(threadId)
      }
      await waitAtMost(maxWaitMs, { work: settled(), signal })
      const rows = await store.untold(threadId)
      const reports = rows.map((row) => JSON.parse(row.json) as SurvivalReport)
      // A report without a finished check goes with a later step, if it has content by then.
      const ready = reports.filter((report) => report.status === 'complete' || Object.keys(report.counts).length > 0)
      if (ready.length === 0) return undefined
      return {
        text: wakeNote(ready),
        markTold: async (transaction) => {
          for (const { id } of ready) await store.changeReport(id, { is_told: 1 }, lifecycleWriterOf(transaction))
        },
      }
    },
  }
}
