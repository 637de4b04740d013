import type { ThreadState, WakeEntry } from '@threadbox/sdk'

/**
 * The wake that is told to a screen reader: the newest, once its report is complete, when it was not complete before.
 * Without an earlier state nothing is news: the page was only just opened.
 */
export function wakeToAnnounce(before: ThreadState | null, after: ThreadState): WakeEntry | undefined {
  if (before === null) return undefined
  const latest = wakesOf(after).at(-1)
  if (latest === undefined || latest.report.status !== 'complete') return undefined
  const earlier = wakesOf(before).find(({ id }) => id === latest.id)
  if (earlier?.report.status === 'complete') return undefined
  const isNew = earlier !== undefined || isAfterAll(before, after, latest)
  return isNew ? latest : undefined
}

function wakesOf(state: ThreadState): WakeEntry[] {
  return state.entries.filter((entry) => entry.kind === 'wake')
}

/** Older pages bring older wakes along; those are no news. */
function isAfterAll(before: ThreadState, after: ThreadState, wake: WakeEntry): boolean {
  const known = before.entries.at(-1)
  if (known === undefined) return true
  const ids = after.entries.map(({ id }) => id)
  return ids.indexOf(wake.id) > ids.indexOf(known.id) || wake.at > known.at
}
