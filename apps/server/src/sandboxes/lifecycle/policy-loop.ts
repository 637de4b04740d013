import { makeDueLoop, makeSingleFlight, waitAtMost } from '@threadbox/concurrency'
import {
  type AwakeDecision,
  chooseDemotions,
  decideAsleep,
  decideAwake,
  type LifecyclePolicy,
  type SavedMemory,
} from '@threadbox/domain'
import { isThreadboxError } from '@threadbox/errors'
import type { Logger } from '@threadbox/telemetry'
import type { Archives } from '../archive/archives.usecases.ts'
import type { SandboxActivity } from '../state/activity.ts'
import type { Pausing } from '../state/pausing.ts'
import type { Sandbox } from '../state/sandbox.logic.ts'
import { policyOf } from '../state/sandbox-rows.ts'
import { asleepFactsOf, awakeFactsOf, type PresenterContext, sleepsWithDisk } from '../state/sandboxes.presenter.ts'
import type { SandboxStore } from '../state/sandboxes.store.ts'
import type { Announcements } from './announcements.ts'
import type { Demotion } from './demotion.ts'

/**
 * Decides for every sandbox when to pause, demote or remove it, and does so. One timer serves all of them, however many
 * sleep.
 */
export type PolicyLoop = {
  start(): void
  stop(): Promise<void>
  /** Call it when a deadline may have come nearer, or the reasons for which a sandbox is awake have changed. */
  nudge(): void
  /** Checks all sandboxes now. Resolves when the resulting actions are done. */
  check(): Promise<void>
  /** Call it when memory images exceed their budget. */
  overBudget(pool: { usedBytes: number; budgetBytes: number }): Promise<void>
}

export type ArchivesOfPolicy = Pick<Archives, 'leave' | 'tidy' | 'shiftTimes'> & {
  /** Days without use after which files move to the archive; null: never. */
  days(): Promise<number | null>
}

export type PolicyLoopDependencies = {
  store: SandboxStore
  activity: SandboxActivity
  pausing: Pausing
  demotion: Demotion
  archives: ArchivesOfPolicy
  announcements: Announcements
  clock: { jumpMs(): Promise<number> }
  /** The current state; undefined while the host cannot be reached, when nothing can be decided. */
  context: () => Promise<PresenterContext | undefined>
  announce: (threadId: string) => void
  removeFiles: (row: Sandbox, days: number) => Promise<void>
  logger: Logger
}

/** Longest wait, for rows that another server changed and for a clock that was set. */
const maxSleepMs = 30_000
/** Shortest wait, so that close deadlines do not keep the machine busy. */
const minSleepMs = 200
/** Wait after a failure: its reason is rarely gone a second later. */
const retryMs = 5 * 60_000

/** How long a stop waits for actions in progress. The next start settles those that take longer. */
const stopWaitMs = 2000

export function makePolicyLoop(dependencies: PolicyLoopDependencies): PolicyLoop {
  const { logger } = dependencies
  const work = makeWork(dependencies)
  /** The time that the last pass used. */
  let decidedAt = 0
  // Passes never overlap: beside one that moves deadlines, a pass would see the new time and the old deadlines.
  const loop = makeDueLoop({
    check: async () => {
      let context = await dependencies.context()
      // Read after the time, so that no jump lies between the time and the deadlines that are compared.
      for (let jump = await dependencies.clock.jumpMs(); jump !== 0; jump = await dependencies.clock.jumpMs()) {
        logger.warn({ jumpMs: jump }, 'the clock was set: deadlines move with it')
        await dependencies.store.shiftTimes(jump)
        await dependencies.archives.shiftTimes(jump)
        dependencies.activity.shift(jump)
        context = await dependencies.context()
      }
      if (context === undefined) return undefined
      const rows = await dependencies.store.all()
      const archiveDays = await dependencies.archives.days()
      decidedAt = context.now
      dependencies.archives.tidy()
      return Math.min(...rows.map((row) => work.consider(row, { ...context, archiveDays })))
    },
    now: () => decidedAt,
    minMs: minSleepMs,
    maxMs: maxSleepMs,
    retryMs: maxSleepMs,
    failed: (error) => logger.error({ err: error }, 'sandboxes could not be checked, will be tried again'),
  })
  return {
    start: loop.start,
    stop: async () => {
      await loop.stop()
      await waitAtMost(stopWaitMs, { work: work.settled() })
    },
    nudge: loop.nudge,
    check: async () => {
      await loop.pass()
      // Actions that an earlier pass started are part of it: this pass found them in progress.
      await work.settled()
    },
    overBudget: async (pool) => {
      const context = await dependencies.context()
      if (context === undefined) return
      const rows = await dependencies.store.all()
      const saved = rows.flatMap((row) => savedMemoryOf(row, context.defaults(row.thread_id).policy))
      const chosen = chooseDemotions(saved, { ...pool, now: context.now })
      await Promise.all(
        rows.filter((row) => chosen.includes(row.id)).map((row) => dependencies.demotion.demote(row, 'budget')),
      )
    },
  }
}

function savedMemoryOf(row: Sandbox, inherited: LifecyclePolicy): SavedMemory[] {
  if (row.state !== 'paused' || row.paused_at === null) return []
  const { policy } = policyOf(row, inherited)
  const holdsWork = row.pause_cause === 'awake-limit'
  return [{ sandboxId: row.id, pausedAt: row.paused_at, bytes: row.image_bytes ?? 0, policy, holdsWork }]
}

type Considered = PresenterContext & { archiveDays: number | null }

/** Carries decisions out, one per sandbox at a time. `consider` returns when to check the sandbox again. */
function makeWork(dependencies: PolicyLoopDependencies) {
  const { logger } = dependencies
  const busy = makeSingleFlight()
  const retryAt = new Map<string, number>()
  const shown = new Map<string, string>()

  const begin = (row: Sandbox, act: () => Promise<void>): void => {
    void busy.join(row.id, () =>
      act().catch((error: unknown) =>
        logger.warn({ err: error, sandboxId: row.id }, 'a decision about a sandbox was not carried out'),
      ),
    )
  }
  const pause = (row: Sandbox, decision: AwakeDecision, context: { now: number; policy: LifecyclePolicy }) => {
    const { now, policy } = context
    if ((retryAt.get(row.id) ?? 0) > now) return
    begin(row, async () => {
      try {
        const isLimit = decision.action === 'pause-limit'
        if (isLimit)
          await dependencies.pausing.pause(row, { cause: 'awake-limit', params: { hours: policy.maxAwakeHours } })
        else await dependencies.pausing.pause(row, { cause: 'idle', params: { minutes: policy.idlePauseMinutes } })
        retryAt.delete(row.id)
        if (isLimit) await dependencies.announcements.pausedAtLimit(row, policy.maxAwakeHours)
      } catch (error) {
        retryAt.set(row.id, now + retryMs)
        if (!isThreadboxError(error) || error.kind !== 'conflict') throw error
      }
    })
  }
  const considerAwake = (row: Sandbox, context: PresenterContext): number => {
    const { policy } = policyOf(row, context.defaults(row.thread_id).policy)
    const decision = decideAwake(awakeFactsOf(row, context), policy)
    showReasons(row, decision)
    const { action, nextLookAt } = decision
    if (action === 'none') return nextLookAt
    const again = Math.max(retryAt.get(row.id) ?? 0, context.now + 1000)
    if (action === 'announce-limit') {
      begin(row, () => dependencies.announcements.limitNear(row, decision, policy))
      return nextLookAt
    }
    pause(row, decision, { now: context.now, policy })
    return again
  }
  /** Announces the thread when the reasons have changed or the next pause moved. */
  const showReasons = (row: Sandbox, { reasons, pauseAt }: AwakeDecision) => {
    const when = pauseAt === null ? '' : Math.round(pauseAt / 30_000)
    const signature = `${row.boot_id} ${reasons.map(({ reason, detail }) => `${reason}:${detail}`).join()} ${when}`
    if (shown.get(row.id) === signature) return
    const isFirst = !shown.has(row.id)
    shown.set(row.id, signature)
    if (!isFirst) dependencies.announce(row.thread_id)
  }
  const considerAsleep = (row: Sandbox, context: Considered): number => {
    shown.delete(row.id)
    const { policy } = policyOf(row, context.defaults(row.thread_id).policy)
    const { action, nextLookAt, removedAt } = decideAsleep(asleepFactsOf(row, context), policy)
    const { announcements, demotion, archives } = dependencies
    const act: Record<typeof action, (() => Promise<void>) | undefined> = {
      none: undefined,
      demote: () => demotion.demote(row, 'time'),
      archive: () => archives.leave(row),
      'announce-removal': () => announcements.removalNear(row, removedAt ?? context.now),
      remove: () => dependencies.removeFiles(row, policy.retentionDays ?? 0),
    }
    const perform = act[action]
    if (perform === undefined) return nextLookAt
    const tried = `${row.id} ${action} ${row.boot_id}`
    const again = retryAt.get(tried) ?? 0
    if (again > context.now) return again
    // A successful action is not decided again; a failed one waits.
    for (const [key, at] of retryAt) if (at <= context.now) retryAt.delete(key)
    retryAt.set(tried, context.now + retryMs)
    begin(row, perform)
    return context.now + 1000
  }
  return {
    consider: (row: Sandbox, context: Considered): number => {
      if (row.state === 'active') return considerAwake(row, context)
      if (sleepsWithDisk(row)) return considerAsleep(row, context)
      return Number.POSITIVE_INFINITY
    },
    settled: busy.settled,
  }
}
