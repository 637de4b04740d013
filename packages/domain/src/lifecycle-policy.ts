import type { AwakeReason } from './activity.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/**
 * When a sandbox sleeps, what is kept of it, and how many services it runs at the same time, as a person sets it. `null`
 * days: for ever.
 */
export type LifecyclePolicy = {
  idlePauseMinutes: number
  hotHours: number
  /** `guaranteed`: memory is kept for longer while it fits. `strict`: not a moment longer than `hotHours`. */
  hotKeep: 'guaranteed' | 'strict'
  maxAwakeHours: number
  retentionDays: number | null
  /** 1: a new one takes the place of the old one. */
  maxServices: number
}

export const defaultLifecyclePolicy: LifecyclePolicy = {
  idlePauseMinutes: 30,
  hotHours: 8,
  hotKeep: 'guaranteed',
  maxAwakeHours: 24,
  retentionDays: null,
  maxServices: 10,
}

/**
 * How long an observation counts as going on. The host tells of work at least this often while it lasts; a shorter time
 * would let the reasons flicker between two reports.
 */
export const activityWindowMs = minuteMs
/** How long before the longest time awake ends a person is told. */
const awakeNoticeMs = hourMs
/** How long before files are removed a person is told, and at least how long they are kept after that. */
const retentionNoticeMs = 7 * dayMs

/** Something that was seen in a sandbox, and when it was seen last. */
export type Activity = { reason: Extract<AwakeReason, 'cpu' | 'request' | 'terminal'>; at: number; detail: string }

export type AwakeFacts = {
  now: number
  /** The last time that anything happened which somebody wanted. */
  usedAt: number
  awakeSince: number
  heldUntil: number | null
  hasTurn: boolean
  /** A file is being read or written through the API at this moment. */
  isTransferring: boolean
  activities: readonly Activity[]
  /** The coming end of the longest time awake was announced. */
  isAnnounced: boolean
  /** Not before this: a host that was just reached has not told yet what goes on in it. */
  notBefore: number
}

export type AwakeDecision = {
  action: 'none' | 'announce-limit' | 'pause-idle' | 'pause-limit'
  reasons: { reason: AwakeReason; detail: string }[]
  /** When it pauses if nothing more happens; null while a reason holds. */
  pauseAt: number | null
  /** When it is paused whatever runs. */
  latestPauseAt: number
  /** When this has to be looked at again, if nothing happens before. */
  nextLookAt: number
}

/**
 * What keeps a sandbox awake and what is to be done with it. Never pauses in a turn: the longest time awake then ends
 * with the turn. A hold beats both the idle time and the longest time awake.
 */
export function decideAwake(facts: AwakeFacts, policy: LifecyclePolicy): AwakeDecision {
  const { now } = facts
  const isHeld = facts.heldUntil !== null && facts.heldUntil > now
  const recent = facts.activities.filter((activity) => now - activity.at < activityWindowMs)
  const reasons: AwakeDecision['reasons'] = [
    ...(facts.hasTurn ? [{ reason: 'turn' as const, detail: '' }] : []),
    ...recent.map(({ reason, detail }) => ({ reason, detail })),
    ...(isHeld ? [{ reason: 'hold' as const, detail: '' }] : []),
  ]
  const isAtWork = reasons.length > 0 || facts.isTransferring
  const lastUse = Math.max(facts.usedAt, ...facts.activities.map((activity) => activity.at), facts.heldUntil ?? 0)
  const idleAt = Math.max(Math.min(lastUse, now) + policy.idlePauseMinutes * minuteMs, facts.notBefore)
  const limitAt = facts.awakeSince + policy.maxAwakeHours * hourMs
  const latestPauseAt = Math.max(limitAt, facts.heldUntil ?? 0, facts.notBefore)
  const announceAt = latestPauseAt - Math.min(awakeNoticeMs, (policy.maxAwakeHours * hourMs) / 2)
  const pauseAt = isAtWork ? null : Math.min(idleAt, latestPauseAt)
  const isProtected = facts.hasTurn || isHeld || facts.isTransferring
  const action = (): AwakeDecision['action'] => {
    if (now >= latestPauseAt) return isProtected ? 'none' : 'pause-limit'
    if (pauseAt !== null && now >= pauseAt) return 'pause-idle'
    return isAtWork && now >= announceAt && !facts.isAnnounced ? 'announce-limit' : 'none'
  }
  const moments = [
    pauseAt,
    latestPauseAt,
    facts.isAnnounced ? null : announceAt,
    facts.heldUntil,
    ...recent.map((activity) => activity.at + activityWindowMs),
  ].filter((moment) => moment !== null && moment > now)
  return { action: action(), reasons, pauseAt, latestPauseAt, nextLookAt: Math.min(...(moments as number[])) }
}

export type AsleepFacts = {
  now: number
  usedAt: number
  /** When memory was saved; null when there is none. */
  pausedAt: number | null
  /** It was paused in the middle of work, because it had been awake for as long as it may be. */
  holdsWork: boolean
  retentionAnnouncedAt: number | null
}

export type AsleepDecision = {
  action: 'none' | 'demote' | 'announce-removal' | 'remove'
  /** Until when memory is guaranteed; null when there is none. */
  memoryUntil: number | null
  /** When the files go; null: never. */
  removedAt: number | null
  nextLookAt: number
}

/**
 * What becomes of a sandbox that sleeps. Files are removed only after their removal was announced for long enough,
 * however long the server was away when it should have been.
 */
export function decideAsleep(facts: AsleepFacts, policy: LifecyclePolicy): AsleepDecision {
  const { now, pausedAt } = facts
  const memoryUntil = pausedAt === null ? null : pausedAt + policy.hotHours * hourMs
  const demoteAt = memoryUntil !== null && policy.hotKeep === 'strict' && !facts.holdsWork ? memoryUntil : null
  const retention = retentionOf(facts, policy)
  const action = (): AsleepDecision['action'] => {
    if (retention !== null && facts.retentionAnnouncedAt === null && now >= retention.announceAt) {
      return 'announce-removal'
    }
    if (retention !== null && facts.retentionAnnouncedAt !== null && now >= retention.removedAt) return 'remove'
    return demoteAt !== null && now >= demoteAt ? 'demote' : 'none'
  }
  const moments = [
    demoteAt,
    retention?.removedAt ?? null,
    facts.retentionAnnouncedAt === null ? (retention?.announceAt ?? null) : null,
  ].filter((moment) => moment !== null && moment > now)
  return {
    action: action(),
    memoryUntil,
    removedAt: retention?.removedAt ?? null,
    nextLookAt: Math.min(...(moments as number[])),
  }
}

function retentionOf(facts: AsleepFacts, policy: LifecyclePolicy): { announceAt: number; removedAt: number } | null {
  if (policy.retentionDays === null) return null
  const wholeMs = policy.retentionDays * dayMs
  const noticeMs = Math.min(retentionNoticeMs, wholeMs / 2)
  const due = facts.usedAt + wholeMs
  const announced = facts.retentionAnnouncedAt ?? facts.now
  return { announceAt: due - noticeMs, removedAt: Math.max(due, announced + noticeMs) }
}

/** A sandbox with saved memory, as the choice of whose memory goes sees it. */
export type SavedMemory = {
  sandboxId: string
  pausedAt: number
  bytes: number
  policy: LifecyclePolicy
  holdsWork: boolean
}

/**
 * Whose memory is given up when all of it exceeds the budget: the oldest beyond its guaranteed time, as many as bring it
 * below. Those that were paused in the middle of work go last.
 */
export function chooseDemotions(
  saved: readonly SavedMemory[],
  pool: { now: number; usedBytes: number; budgetBytes: number },
): string[] {
  const order = saved
    .filter(({ pausedAt, policy }) => pool.now >= pausedAt + policy.hotHours * hourMs)
    .sort((one, other) => Number(one.holdsWork) - Number(other.holdsWork) || one.pausedAt - other.pausedAt)
  const chosen: string[] = []
  let excess = pool.usedBytes - pool.budgetBytes
  for (const { sandboxId, bytes } of order) {
    if (excess <= 0) break
    chosen.push(sandboxId)
    excess -= bytes
  }
  return chosen
}

/**
 * How far the wall clock was set, from two looks at it and at a clock that only runs. Small differences are drift, and
 * zero. Deadlines are moved by the result, so that setting the clock makes nothing expire.
 */
export function clockJumpMs(before: ClockReading, after: ClockReading): number {
  const jump = after.wallMs - before.wallMs - (after.uptimeMs - before.uptimeMs)
  return Math.abs(jump) < 30_000 ? 0 : Math.round(jump)
}
export type ClockReading = { wallMs: number; uptimeMs: number }
