import type { RunDependencies } from './run-dependencies.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** Longer than any clock is set back: within this time a due time is known to have been taken. */
const dueTimesKeptMs = 35 * dayMs
/** Longer than a signature holds. */
const deliveriesKeptMs = 2 * dayMs

/** Removes what is older than is kept, at most once an hour. */
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
