import { isThreadboxError } from '@threadbox/errors'
import type { SandboxActivity } from './activity.ts'
import { type ReachableSandbox, reachSandbox } from './awake-sandbox.ts'
import { bringAwake } from './bring-awake.ts'
import type { Claims } from './claims.ts'
import type { LifecycleRecorder } from './lifecycle-recorder.ts'
import { noMemoryCode, type Wait } from './room.ts'
import type { Sandbox } from './sandbox.models.ts'
import type { SandboxAccess } from './sandbox-access.ts'
import type { WakingDependencies } from './waking-dependencies.ts'

export type SandboxAccessDependencies = WakingDependencies & {
  claims: Claims
  activity: SandboxActivity
  recorder: Pick<LifecycleRecorder, 'reportWake'>
  /** Brings files into the sandbox that were uploaded while it slept. */
  deliver: (threadId: string, sandbox: ReachableSandbox) => Promise<void>
  /** Puts one idle sandbox to sleep. False when none may be. */
  makeRoom: () => Promise<boolean>
}

/** {@link SandboxAccess}, with the view that the files feature needs. */
export type Sandboxes = Omit<SandboxAccess, 'awake' | 'ifAwake'> &
  Pick<Claims, 'isHeld' | 'waking' | 'isExchanged'> & {
    awake(
      threadId: string,
      options: {
        reason: 'turn' | 'files' | 'terminal' | 'preview' | 'api'
        signal?: AbortSignal
        /** False: fails at once when there is no room, instead of waiting for a place. */
        mayWait?: boolean
      },
    ): Promise<ReachableSandbox>
    ifAwake(threadId: string): Promise<ReachableSandbox | undefined>
    /** Something that a person waits for flows to or from the sandbox until the result is disposed of. */
    transferring(sandboxId: string): Disposable
  }

export function makeSandboxAccess(dependencies: SandboxAccessDependencies): Sandboxes {
  const { store, host, claims, activity } = dependencies
  // One connection to each boot, so that its clients are made once.
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
    const row = await bringAwake(dependencies, threadId, wait)
    // The wake is on record with its state: nobody has to wait for its report.
    dependencies.recorder.reportWake(threadId).catch((error: unknown) => {
      dependencies.logger.warn({ err: error, threadId }, 'report of a wake was not written yet')
    })
    activity.touch(row.id)
    const sandbox = reach(row, row.boot_id ?? '')
    await dependencies.deliver(threadId, sandbox)
    return sandbox
  }
  const waits = new Map<string, Wait>()
  const awake: Sandboxes['awake'] = async (threadId, { signal, mayWait = true }) => {
    // Who joins and may wait for a place makes the whole work wait.
    const present = waits.get(threadId)
    if (present !== undefined && mayWait) present.mayWait = true
    const begin = (abandoned: AbortSignal) => {
      const wait = { signal: abandoned, mayWait, makeRoom: dependencies.makeRoom }
      waits.set(threadId, wait)
      return wake(threadId, wait).finally(() => waits.delete(threadId))
    }
    try {
      return await claims.wake(threadId, begin, signal)
    } catch (error) {
      // What was joined had given up on room before it heard that somebody would wait.
      const isRefused = isThreadboxError(error) && error.code === noMemoryCode
      if (!isRefused || !mayWait) throw error
      return await claims.wake(threadId, begin, signal)
    }
  }

  return {
    awake,
    wakeAhead: (threadId) => {
      const quietly = async () => {
        const row = await store.find(threadId)
        const sleeps = row?.has_run === 1 && (row.state === 'paused' || row.state === 'cold' || row.state === 'pausing')
        if (sleeps) await awake(threadId, { reason: 'turn', mayWait: false })
      }
      quietly().catch((error: unknown) => dependencies.logger.debug({ err: error, threadId }, 'not woken ahead'))
    },
    believedReady: async (threadId) => {
      const row = await store.find(threadId)
      const known = row === undefined ? undefined : reached.get(row.id)
      if (row?.state !== 'active' || known === undefined || known.bootId !== row.boot_id) return undefined
      activity.touch(row.id)
      // Nothing, as a rule: what is uploaded while it is awake is delivered at once.
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
