import type { AwakeReason } from './activity.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/**
 * The lifecycle settings of a sandbox: when it sleeps, what is kept, and how many services it can run at the same time.
 * `null` days: forever.
 */
export type LifecyclePolicy = {
  idlePauseMinutes: number
  hotHours: number
  /** `guaranteed`: memory is kept longer while it fits. `strict`: not longer than `hotHours`. */
  hotKeep: 'guaranteed' | 'strict'
  maxAwakeHours: number
  retentionDays: number | null
  /** 1: a new service replaces the previous one. */
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
 * How long an observation counts as ongoing. The host reports work at least this often while it lasts; with a shorter
 * time the reasons would flicker between two reports.
 */
export const activityWindowMs = minuteMs
/** How long before the limit of the time awake it is announced. */
const awakeNoticeMs = hourMs
/** How long before the deletion of files it is announced, and at least how long they are kept after that. */
const retentionNoticeMs = 7 * dayMs

/** Activity observed in a sandbox, and when it was last observed. */
export type Activity = { reason: Extract<AwakeReason, 'cpu' | 'request' | 'terminal'>; at: number; detail: string }

export type AwakeFacts = {
  now: number
  /** The last time that a user or agent used the sandbox. */
  usedAt: number
  awakeSince: number
  heldUntil: number | null
  hasTurn: boolean
  /** A file is being transferred through the API at this moment. */
  isTransferring: boolean
  activities: readonly Activity[]
  /** The end of the maximum time awake was announced. */
  isAnnounced: boolean
  /** The earliest time of a pause: a host that was just reached has not reported its activity yet. */
  notBefore: number
}

export type AwakeDecision = {
  action: 'none' | 'announce-limit' | 'pause-idle' | 'pause-limit'
  reasons: { reason: AwakeReason; detail: string }[]
  /** When it pauses without further activity; null while a reason keeps it awake. */
  pauseAt: number | null
  /** When it is paused regardless of activity. */
  latestPauseAt: number
  /** When to decide again, if nothing happens before. */
  nextLookAt: number
}

/**
 * Decides what keeps a sandbox awake and what to do with it. Never pauses during a turn: the maximum time awake then
 * ends with the turn. A hold overrides both the idle time and the maximum time awake.
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
  /** When memory was saved; null: there is none. */
  pausedAt: number | null
  /** It was paused in the middle of work, because it reached the maximum time awake. */
  holdsWork: boolean
  retentionAnnouncedAt: number | null
  /** Days without use after which it moves to the archive; null: never. */
  archiveDays: number | null
  /** It has no boot and no saved memory, and its disk is on the host. */
  isCold: boolean
}

export type AsleepDecision = {
  action: 'none' | 'demote' | 'archive' | 'announce-removal' | 'remove'
  /** Until when memory is guaranteed; null: there is none. */
  memoryUntil: number | null
  /** When the files are deleted; null: never. */
  removedAt: number | null
  nextLookAt: number
}

/**
 * Decides what to do with a sleeping sandbox. Files are deleted only after their deletion was announced for long
 * enough, however long the server was down when it was due.
 */
export function decideAsleep(facts: AsleepFacts, policy: LifecyclePolicy): AsleepDecision {
  const { now, pausedAt } = facts
  const memoryUntil = pausedAt === null ? null : pausedAt + policy.hotHours * hourMs
  const demoteAt = memoryUntil !== null && policy.hotKeep === 'strict' && !facts.holdsWork ? memoryUntil : null
  const retention = retentionOf(facts, policy)
  const archive = archiveOf(facts, memoryUntil)
  const action = (): AsleepDecision['action'] => {
    if (retention !== null && facts.retentionAnnouncedAt === null && now >= retention.announceAt) {
      return 'announce-removal'
    }
    if (retention !== null && facts.retentionAnnouncedAt !== null && now >= retention.removedAt) return 'remove'
    if (demoteAt !== null && now >= demoteAt) return 'demote'
    return archive !== null && now >= archive.at ? archive.action : 'none'
  }
  const moments = [
    demoteAt,
    archive?.at ?? null,
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

/** Memory goes first: it fits only the disk on this host. Never before its time, and never that of interrupted work. */
function archiveOf(
  { archiveDays, usedAt, isCold, holdsWork }: AsleepFacts,
  memoryUntil: number | null,
): { at: number; action: 'archive' | 'demote' } | null {
  if (archiveDays === null) return null
  const at = usedAt + archiveDays * dayMs
  if (isCold) return { at, action: 'archive' }
  return memoryUntil === null || holdsWork ? null : { at: Math.max(at, memoryUntil), action: 'demote' }
}

function retentionOf(facts: AsleepFacts, policy: LifecyclePolicy): { announceAt: number; removedAt: number } | null {
  if (policy.retentionDays === null) return null
  const wholeMs = policy.retentionDays * dayMs
  const noticeMs = Math.min(retentionNoticeMs, wholeMs / 2)
  const due = facts.usedAt + wholeMs
  const announced = facts.retentionAnnouncedAt ?? facts.now
  return { announceAt: due - noticeMs, removedAt: Math.max(due, announced + noticeMs) }
}

/** A sandbox with saved memory as an input of {@link chooseDemotions}. */
export type SavedMemory = {
  sandboxId: string
  pausedAt: number
  bytes: number
  policy: LifecyclePolicy
  holdsWork: boolean
}

/**
 * Chooses whose memory is discarded when all memory exceeds the budget: the oldest beyond its guaranteed time, as many
 * as needed. Sandboxes that were paused in the middle of work come last.
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
 * Computes how far the wall clock was set, from two readings of it and of a monotonic clock. Small differences are
 * drift and count as 0. Deadlines are moved by the result, so that setting the clock expires nothing.
 */
export function clockJumpMs(before: ClockReading, after: ClockReading): number {
  const jump = after.wallMs - before.wallMs - (after.uptimeMs - before.uptimeMs)
  return Math.abs(jump) < 30_000 ? 0 : Math.round(jump)
}
export type ClockReading = { wallMs: number; uptimeMs: number }
