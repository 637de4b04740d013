import type { RunDependencies } from './run-dependencies.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** Longer than any clock is set back: within this time handled due times are remembered. */
const dueTimesKeptMs = 35 * dayMs
/** Longer than a signature is valid. */
const deliveriesKeptMs = 2 * dayMs

/** Deletes expired records, at most once an hour. */
export function makeRunHistory(
  dependencies: Pick<RunDependencies, 'store' | 'schedules' | 'webhooks' | 'settings' | 'system'>,
): { trim(): Promise<void> } {
  const { store, schedules, webhooks, settings, system } = dependencies
  let trimmedAt = Number.NEGATIVE_INFINITY
  return {
    trim: async () => {
      const now = system.now()
      if (Math.abs(now - trimmedAt) < hourMs) return
      trimmedAt = now
      const { runHistoryDays, runHistoryCount } = await settings.values()
      for (const agentId of await store.agentIds()) {
        await store.prune(agentId, { since: now - runHistoryDays * dayMs, count: runHistoryCount })
      }
      await schedules.pruneDueTimes(now - dueTimesKeptMs)
      await webhooks.pruneDeliveries(now - deliveriesKeptMs)
    },
  }
}
