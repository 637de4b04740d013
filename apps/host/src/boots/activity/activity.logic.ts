import type { GuestActivity } from '@threadbox/protocol/guest'

/** A guest's report and when it arrived. */
export type ActivityReading = { at: number; activity: GuestActivity }
export type SeenActivity = { reason: 'cpu' | 'terminal'; detail?: string }

/**
 * Activity between two readings of a guest. The first reading after a boot or a wake is only the baseline for the next:
 * what it counts can be hours old.
 */
export function judgeActivity(options: {
  before: ActivityReading | undefined
  now: ActivityReading
  cpuShare: number
}): SeenActivity[] {
  const { before, now, cpuShare } = options
  if (before === undefined) return []
  const seen: SeenActivity[] = []
  const seconds = (now.at - before.at) / 1000
  const usedSeconds = now.activity.userCpuSeconds - before.activity.userCpuSeconds
  if (seconds > 0 && usedSeconds / seconds > cpuShare) {
    const { busiestProcess } = now.activity
    seen.push({ reason: 'cpu', ...(busiestProcess === null ? {} : { detail: busiestProcess }) })
  }
  const typedAt = now.activity.terminalsLastInputAt
  if (typedAt !== null && typedAt !== before.activity.terminalsLastInputAt) seen.push({ reason: 'terminal' })
  return seen
}
