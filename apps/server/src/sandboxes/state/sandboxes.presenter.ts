import {
  type Activity,
  type AwakeDecision,
  type AwakeFacts,
  decideAsleep,
  decideAwake,
  type LifecyclePolicy,
  type SandboxLimits,
  type SandboxState,
} from '@threadbox/domain'
import type { SandboxView } from '@threadbox/protocol/public'
import type { DefaultsOf } from '../../threads/public.ts'
import type { Restoring } from './restorations.ts'
import type { WakePlace } from './room.ts'
import type { Sandbox } from './sandbox.logic.ts'
import { limitsOf, policyOf, wantedLimits } from './sandbox-rows.ts'

/** What the server knows about a sandbox beside its row. */
export type LiveFacts = {
  isHeld: boolean
  isTransferring: boolean
  usedAt: number
  activities: readonly Activity[]
  waiting: WakePlace | undefined
  restoring: Restoring | undefined
}

export type PresenterContext = {
  defaults: DefaultsOf
  now: number
  /** Nothing is paused before this time: the server has just reached the host. */
  notBefore: number
  live: (row: Sandbox) => LiveFacts
}

/** The facts for the decision about an awake sandbox, from its row and what is known beside it. */
export function awakeFactsOf(row: Sandbox, context: Pick<PresenterContext, 'now' | 'notBefore' | 'live'>): AwakeFacts {
  const live = context.live(row)
  const { isTransferring, activities } = live
  return {
    now: context.now,
    usedAt: Math.max(row.used_at, live.usedAt),
    awakeSince: row.awake_since ?? row.since,
    heldUntil: row.held_until,
    hasTurn: live.isHeld,
    isTransferring,
    activities,
    isAnnounced: row.limit_announced === 1,
    notBefore: context.notBefore,
  }
}

/** The facts for the decision about a sleeping sandbox. */
export function asleepFactsOf(row: Sandbox, { now, archiveDays = null }: { now: number; archiveDays?: number | null }) {
  return {
    now,
    usedAt: row.used_at,
    pausedAt: row.state === 'paused' ? row.paused_at : null,
    holdsWork: row.pause_cause === 'awake-limit',
    retentionAnnouncedAt: row.retention_announced_at,
    archiveDays,
    isCold: row.state === 'cold',
  }
}

/** States in which the sandbox sleeps with files, on its disk or in the archive. */
const asleep: readonly SandboxState[] = ['paused', 'cold', 'archived', 'error']

export function sleepsWithDisk(row: Sandbox): boolean {
  return asleep.includes(row.state) && row.has_run === 1
}

/** A thread’s sandbox as its owner sees it; a thread without a row has none yet. */
export function presentSandbox(
  { threadId, row }: { threadId: string; row: Sandbox | undefined },
  context: PresenterContext,
): SandboxView {
  const defaults = context.defaults(threadId)
  if (row === undefined) return { state: 'fresh', since: context.now, detail: null, limits: defaults.limits }
  const { policy } = policyOf(row, defaults.policy)
  const { waiting: position, restoring } = context.live(row)
  const base = { state: row.state, since: row.since, limits: limitsShown(row, defaults.limits) }
  const waiting = position === undefined ? {} : { waiting: position }
  if (row.state === 'active') {
    const decision = decideAwake(awakeFactsOf(row, context), policy)
    return { ...base, detail: awakeDetail(decision) ?? row.detail, awake: presentAwake(row, decision), ...waiting }
  }
  if (!sleepsWithDisk(row)) return { ...base, detail: row.detail, ...waiting }
  const archive =
    row.state === 'archived'
      ? { archive: { bytes: Number(row.detail?.params.bytes ?? 0), restoredBytes: restoring?.restoredBytes ?? null } }
      : {}
  const asleep = presentAsleep(row, { now: context.now, policy })
  return { ...base, detail: row.detail, asleep, ...archive, ...waiting }
}

const hasLimits: readonly SandboxState[] = ['starting', 'active', 'pausing', 'paused', 'waking']

/** A sandbox without a boot will start with the current limits. */
function limitsShown(row: Sandbox, inherited: SandboxLimits): SandboxLimits {
  return hasLimits.includes(row.state) ? limitsOf(row) : wantedLimits(row, inherited)
}

function awakeDetail({ reasons: [first] }: AwakeDecision): SandboxView['detail'] {
  if (first === undefined) return null
  const params: Record<string, string> = first.detail === '' ? {} : { detail: first.detail }
  return { code: `awake.${first.reason}`, params }
}

function presentAwake(row: Sandbox, decision: AwakeDecision): NonNullable<SandboxView['awake']> {
  const { reasons, pauseAt, latestPauseAt } = decision
  const heldUntil = reasons.some(({ reason }) => reason === 'hold') ? row.held_until : null
  return { reasons, pauseAt, heldUntil, latestPauseAt: Math.round(latestPauseAt) }
}

function presentAsleep(
  row: Sandbox,
  { now, policy }: { now: number; policy: LifecyclePolicy },
): NonNullable<SandboxView['asleep']> {
  const { memoryUntil, removedAt } = decideAsleep(asleepFactsOf(row, { now }), policy)
  const hasMemory = row.state === 'paused'
  const memory = hasMemory ? (row.is_frozen === 1 ? 'frozen' : 'saved') : 'none'
  return {
    memory,
    memoryUntil: memoryUntil === null ? null : Math.round(memoryUntil),
    removedAt: removedAt === null ? null : Math.round(removedAt),
  }
}
