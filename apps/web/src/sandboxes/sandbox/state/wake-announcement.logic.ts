import type { ThreadState, WakeEntry } from '@threadbox/sdk'

/**
 * The wake to announce to screen readers: the newest one, when its report becomes complete. Without an earlier state
 * there is none: the page was only just opened.
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

/** False for wakes that were loaded with older pages. */
function isAfterAll(before: ThreadState, after: ThreadState, wake: WakeEntry): boolean {
  const known = before.entries.at(-1)
  if (known === undefined) return true
  const ids = after.entries.map(({ id }) => id)
  return ids.indexOf(wake.id) > ids.indexOf(known.id) || wake.at > known.at
}
