import type { GuestActivity } from '@threadbox/protocol/guest'

/** What a guest said, and when. */
export type ActivityLook = { at: number; activity: GuestActivity }
export type SeenActivity = { reason: 'cpu' | 'terminal'; detail?: string }

/**
 * What happened between two looks at a guest. The first look after a boot or a wake is only the measure for the next:
 * what it counts may be hours old.
 */
export function judgeActivity(options: {
  before: ActivityLook | undefined
  now: ActivityLook
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
