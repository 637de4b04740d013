import { timeOfBackup } from './manifest.ts'

/** How many days, weeks and months keep their last backup. */
export type Retention = { daily: number; weekly: number; monthly: number }

export const defaultRetention: Retention = { daily: 7, weekly: 4, monthly: 6 }

/** Which backups stay: the newest one always, and the last one of each of the latest days, weeks and months that have one. */
export function keptBackups(names: readonly string[], retention: Retention): Set<string> {
  const newestFirst = names.toSorted((left, right) => timeOfBackup(right) - timeOfBackup(left))
  const kept = new Set(newestFirst.slice(0, 1))
  const periods: [number, (time: number) => string][] = [
    [retention.daily, (time) => new Date(time).toISOString().slice(0, 10)],
    [retention.weekly, (time) => String(weekOf(time))],
    [retention.monthly, (time) => new Date(time).toISOString().slice(0, 7)],
  ]
  for (const [count, periodOf] of periods) {
    const seen = new Set<string>()
    for (const name of newestFirst) {
      const period = periodOf(timeOfBackup(name))
      if (seen.has(period)) continue
      if (seen.size >= count) break
      seen.add(period)
      kept.add(name)
    }
  }
  return kept
}

/** Weeks begin on Monday; day 0 was a Thursday. */
function weekOf(time: number): number {
  return Math.floor((time / 86_400_000 + 3) / 7)
}
