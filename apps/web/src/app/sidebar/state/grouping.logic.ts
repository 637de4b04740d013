import type { Thread } from '@threadbox/sdk'

export type ThreadGroupName = 'pinned' | 'today' | 'yesterday' | 'week' | 'month' | 'older'
export type ThreadGroup = { name: ThreadGroupName; threads: Thread[] }

const order: readonly ThreadGroupName[] = ['pinned', 'today', 'yesterday', 'week', 'month', 'older']

/** Threads by the day of their last activity, pinned ones first; within a group the latest first. */
export function groupThreads(threads: readonly Thread[], now: number): ThreadGroup[] {
  const visible = threads.filter((thread) => thread.deletedAt === null)
  const sorted = visible.toSorted((a, b) => b.updatedAt - a.updatedAt || a.id.localeCompare(b.id))
  return order
    .map((name) => ({ name, threads: sorted.filter((thread) => groupOf(thread, now) === name) }))
    .filter((group) => group.threads.length > 0)
}

function groupOf(thread: Thread, now: number): ThreadGroupName {
  if (thread.isPinned) return 'pinned'
  const days = calendarDaysBetween(thread.updatedAt, now)
  if (days <= 0) return 'today'
  if (days === 1) return 'yesterday'
  if (days < 7) return 'week'
  return days < 30 ? 'month' : 'older'
}

/** Midnights between two times, by the calendar of the device: 23:59 and 00:01 are a day apart. */
function calendarDaysBetween(earlier: number, later: number): number {
  const midnight = (at: number) => {
    const date = new Date(at)
    return Date.UTC(date.getFullYear(), date.getMonth(), date.getDate())
  }
  return Math.round((midnight(later) - midnight(earlier)) / 86_400_000)
}
