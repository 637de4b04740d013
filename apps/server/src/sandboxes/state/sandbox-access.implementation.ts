import type { SandboxState } from '@threadbox/domain'
import { isThreadboxError } from '@threadbox/errors'
import { awakeUsedUp } from '../../people/public.ts'
import type { SandboxActivity } from './activity.ts'
import { type ReachableSandbox, reachSandbox } from './awake-sandbox.ts'
import type { BriefWait } from './brief-wait.ts'
import type { Claims } from './claims.ts'
import type { DiskUse } from './disk-use.ts'
import type { LifecycleRecorder } from './lifecycle-recorder.ts'
import { noMemoryCode, type Wait } from './room.ts'
import type { Sandbox } from './sandbox.logic.ts'
import type { SandboxAccess } from './sandbox-access.ts'
import type { TurnSignals } from './turn-signals.ts'
import { wakeSandbox } from './wake-sandbox.ts'
import type { WakingDependencies } from './waking-dependencies.ts'

export type SandboxAccessDependencies = WakingDependencies & {
  claims: Claims
  activity: SandboxActivity
  turnSignals: TurnSignals
  recorder: Pick<LifecycleRecorder, 'reportWake'>
  briefWait: BriefWait
  diskUse: Pick<DiskUse, 'require'>
  /** Copies files into the sandbox that were uploaded while it slept. */
  deliver: (threadId: string, sandbox: ReachableSandbox) => Promise<void>
  /** Pauses one idle sandbox. Returns false if none can be paused. */
  pauseOneIdle: () => Promise<boolean>
  /** Restores the files of an archived sandbox; does nothing to another one. */
  bringBack: (threadId: string) => Promise<void>
}

/** In these states a wake begins new work; what has begun is completed. */
const asleep: readonly SandboxState[] = ['fresh', 'cold', 'error', 'paused', 'archived']

/** {@link SandboxAccess}, with the view that the files feature needs. */
export type Sandboxes = Omit<SandboxAccess, 'awake' | 'ifAwake'> &
  Pick<Claims, 'isHeld' | 'waking' | 'isExchanged'> & {
    awake(
      threadId: string,
      options: {
        reason: 'turn' | 'files' | 'terminal' | 'preview' | 'api'
        signal?: AbortSignal
        /** False: throws immediately if the host’s memory is full, instead of waiting. */
        mayWait?: boolean
      },
    ): Promise<ReachableSandbox>
    ifAwake(threadId: string): Promise<ReachableSandbox | undefined>
    /** Marks a transfer that a person waits for as in progress until the result is disposed of. */
    transferring(sandboxId: string): Disposable
  }

/** States from which a message to an agent begins the wake. */
const sleeping: readonly SandboxState[] = ['paused', 'cold', 'archived', 'pausing']

export function makeSandboxAccess(dependencies: SandboxAccessDependencies): Sandboxes {
  const { store, host, claims, activity, turnSignals, briefWait } = dependencies
  // One connection per boot, so that its clients are created once.
  const reached = new Map<string, ReachableSandbox>()
  const reach = (row: Sandbox, bootId: string) => {
    const known = reached.get(row.id)
    if (known?.bootId === bootId) return known
    const sandbox = reachSandbox(host, { sandboxId: row.id, bootId }, () => activity.transferring(row.id))
    reached.set(row.id, sandbox)
    return sandbox
  }
  const wake = async (threadId: string, wait: Wait) => {
    await claims.exchanged(threadId)
    const state = (await store.find(threadId))?.state ?? 'fresh'
    if (asleep.includes(state)) await dependencies.diskUse.require(threadId)
    await dependencies.bringBack(threadId)
    const row = await wakeSandbox(dependencies, threadId, wait)
    // The wake is recorded with the new state, so its report can be written in the background.
    dependencies.recorder.reportWake(threadId).catch((error: unknown) => {
      dependencies.logger.warn({ err: error, threadId }, 'report of a wake was not written yet')
    })
    activity.touch(row.id)
    const sandbox = reach(row, row.boot_id ?? '')
    turnSignals.awoken(threadId, sandbox)
    await dependencies.deliver(threadId, sandbox)
    return sandbox
  }
  const waits = new Map<string, Wait>()
  const join: Sandboxes['awake'] = async (threadId, { signal, mayWait = true }) => {
    // A caller that joins a wake and can wait for memory makes that wake wait.
    const present = waits.get(threadId)
    if (present !== undefined && mayWait) present.mayWait = true
    const begin = (abandoned: AbortSignal) => {
      const wait = { signal: abandoned, mayWait, pauseOneIdle: dependencies.pauseOneIdle }
      waits.set(threadId, wait)
      return wake(threadId, wait).finally(() => waits.delete(threadId))
    }
    try {
      return await claims.wake(threadId, begin, signal)
    } catch (error) {
      // The joined wake had failed for lack of memory, or of a place, before it learned that this caller can wait.
      const isRefused = isThreadboxError(error) && (error.code === noMemoryCode || error.code === awakeUsedUp.code)
      if (!isRefused || !mayWait) throw error
      return await claims.wake(threadId, begin, signal)
    }
  }
  // What wakes ahead leaves the wake to the first caller that needs it: when that one stops waiting, nothing waits.
  const aheads = new Map<string, AbortController>()
  const awake: Sandboxes['awake'] = (threadId, options) => {
    const { reason, signal } = options
    const isBrief = reason !== 'turn' && briefWait.applies()
    const joined = isBrief
      ? briefWait.within({ threadId, signal }, (brief) => join(threadId, { ...options, signal: brief }))
      : join(threadId, options)
    aheads.get(threadId)?.abort(new Error('a caller needs it'))
    return joined
  }
  const wakeAhead = async (threadId: string) => {
    if (claims.waking(threadId) !== undefined) return
    const left = new AbortController()
    aheads.set(threadId, left)
    await join(threadId, { reason: 'turn', mayWait: false, signal: left.signal }).finally(() => aheads.delete(threadId))
  }
  const quietly = (threadId: string, work: () => Promise<unknown>) => {
    work().catch((error: unknown) => dependencies.logger.debug({ err: error, threadId }, 'not woken ahead'))
  }

  return {
    awake,
    wakeAhead: (threadId) => quietly(threadId, () => wakeAhead(threadId)),
    prepareForAgent: (threadId) => {
      turnSignals.agentTurnBegan(threadId)
      quietly(threadId, async () => {
        const row = await store.find(threadId)
        if (row?.has_run === 1 && sleeping.includes(row.state)) await wakeAhead(threadId)
      })
    },
    turnEnded: turnSignals.turnEnded,
    believedReady: async (threadId) => {
      const row = await store.find(threadId)
      const known = row === undefined ? undefined : reached.get(row.id)
      if (row?.state !== 'active' || known === undefined || known.bootId !== row.boot_id) return undefined
      activity.touch(row.id)
      // Usually nothing: an upload to an awake sandbox is delivered immediately.
      await dependencies.deliver(threadId, known)
      return known
    },
    ifAwake: async (threadId) => {
      const row = await store.find(threadId)
      if (row?.state !== 'active' || row.boot_id === null) return undefined
      const actual = await host.get(row.id)
      return actual?.actual === 'ready' && actual.bootId === row.boot_id ? reach(row, row.boot_id) : undefined
    },
    hold: claims.hold,
    isHeld: claims.isHeld,
    waking: claims.waking,
    isExchanged: claims.isExchanged,
    transferring: (sandboxId) => activity.transferring(sandboxId),
  }
}
