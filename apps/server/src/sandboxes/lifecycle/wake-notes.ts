import { waitAtMost } from '@threadbox/concurrency'
import type { SurvivalReport } from '@threadbox/protocol/public'
import type { LogTransaction } from '../../threads/public.ts'
import type { Sandboxes } from '../state/sandbox-access.implementation.ts'
import { type LifecycleStore, lifecycleWriterOf } from './lifecycle.store.ts'
import type { SurvivalReports } from './survival-reports.ts'
import { wakeNote } from './wake-note.models.ts'

/** What the agent has to be told, and how to record that it was. */
export type WakeNotes = {
  /**
   * What happened to the sandbox that the agent does not know yet. Waits for a moment for a wake that is under way and
   * for the look after it, so that the very next question carries the report.
   */
  pending(threadId: string, signal: AbortSignal): Promise<PendingNote | undefined>
}

export type PendingNote = { text: string; markTold(transaction: LogTransaction): Promise<void> }

/** What a person waits longer for an answer at most. A report that takes longer is told with the next step. */
const maxWaitMs = 2500

export function makeWakeNotes(dependencies: {
  store: LifecycleStore
  reports: Pick<SurvivalReports, 'looked'>
  sandboxes: Pick<Sandboxes, 'waking'>
}): WakeNotes {
  const { store } = dependencies
  return {
    pending: async (threadId, signal) => {
      const settled = async () => {
        await dependencies.sandboxes.waking(threadId)?.catch(() => undefined)
        await dependencies.reports.looked(threadId)
      }
      await waitAtMost(maxWaitMs, { work: settled(), signal })
      const rows = await store.untold(threadId)
      const reports = rows.map((row) => JSON.parse(row.json) as SurvivalReport)
      // Nothing was looked at yet: told with a later step, when there is something to tell.
      const told = reports.filter((report) => report.status === 'complete' || Object.keys(report.counts).length > 0)
      if (told.length === 0) return undefined
      return {
        text: wakeNote(told),
        markTold: async (transaction) => {
          for (const { id } of told) await store.changeReport(id, { is_told: 1 }, lifecycleWriterOf(transaction))
        },
      }
    },
  }
}
