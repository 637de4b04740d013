import { isThreadboxError } from '@threadbox/errors'
import type { HostSandbox } from '@threadbox/protocol/host'
import type { SandboxActivity } from './activity.ts'
import { type ReachableSandbox, reachSandbox } from './awake-sandbox.ts'
import { bringAwake, noteEnd, type WakingDependencies } from './bring-awake.ts'
import { type JoinedWork, makeJoinedWork } from './joined-work.ts'
import { noMemoryCode, type Wait } from './room.ts'
import type { SandboxAccess } from './sandbox-access.ts'
import { waitGivenUp } from './sandboxes.errors.ts'
import type { SandboxRow } from './sandboxes.table.ts'

export type SandboxAccessDependencies = WakingDependencies & {
  activity: SandboxActivity
  /** Threads in which a turn runs, and how many. */
  holds: Map<string, number>
  /** Brings files into the sandbox that were uploaded while it slept. */
  deliver: (threadId: string, sandbox: ReachableSandbox) => Promise<void>
  /** The last turn of a thread let go of its sandbox. */
  onHoldChanged: (threadId: string, sandboxId: string | undefined) => void
}

/** {@link SandboxAccess}, with the view that the files feature needs. */
export type Sandboxes = Omit<SandboxAccess, 'awake' | 'ifAwake'> & {
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
  isHeld(threadId: string): boolean
  /** Something that a person waits for flows to or from the sandbox until the result is disposed of. */
  transferring(sandboxId: string): Disposable
  /** Resolves when the wake that is under way has ended; undefined while there is none. */
  waking(threadId: string): Promise<unknown> | undefined
  /**
   * Does `work` while nobody brings the sandbox of the thread awake: who wants it waits for the end, and so does `work` for a
   * wake that is under way.
   */
  exclusively<Value>(threadId: string, work: () => Promise<Value>): Promise<Value>
  /** Whether that is so now: what the record says of the sandbox may be behind. */
  isExchanged(threadId: string): boolean
  /** Takes note of a boot that is over: the sandbox is cold, and the thread says why. */
  noteEnd(row: SandboxRow, actual: Pick<HostSandbox, 'lastBootEnd'> | undefined): Promise<void>
}

export function makeSandboxAccess(dependencies: SandboxAccessDependencies): Sandboxes {
  const { store, host, holds, activity } = dependencies
  const joined: JoinedWork<ReachableSandbox> = makeJoinedWork({ abandoned: () => waitGivenUp({}) })
  // One connection to each boot, so that its clients are made once.
  const reached = new Map<string, ReachableSandbox>()
  const reach = (row: SandboxRow, bootId: string) => {
    const known = reached.get(row.id)
    if (known?.bootId === bootId) return known
    const sandbox = reachSandbox(host, { sandboxId: row.id, bootId }, () => activity.transferring(row.id))
    reached.set(row.id, sandbox)
    return sandbox
  }
  const exchanges = new Map<string, Promise<unknown>>()
  const wake = async (threadId: string, wait: Wait) => {
    await exchanges.get(threadId)?.catch(() => undefined)
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
      const wait = { signal: abandoned, mayWait }
      waits.set(threadId, wait)
      return wake(threadId, wait).finally(() => waits.delete(threadId))
    }
    try {
      return await joined.join(threadId, begin, signal)
    } catch (error) {
      // What was joined had given up on room before it heard that somebody would wait.
      const isRefused = isThreadboxError(error) && error.code === noMemoryCode
      if (!isRefused || !mayWait) throw error
      return await joined.join(threadId, begin, signal)
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
    hold: (threadId) => {
      holds.set(threadId, (holds.get(threadId) ?? 0) + 1)
      let isReleased = false
      return {
        [Symbol.dispose]: () => {
          if (isReleased) return
          isReleased = true
          const left = (holds.get(threadId) ?? 1) - 1
          if (left > 0) return void holds.set(threadId, left)
          holds.delete(threadId)
          const done = (row: SandboxRow | undefined) => dependencies.onHoldChanged(threadId, row?.id)
          store.find(threadId).then(done, () => done(undefined))
        },
      }
    },
    isHeld: (threadId) => holds.has(threadId),
    transferring: (sandboxId) => activity.transferring(sandboxId),
    waking: (threadId) => joined.present(threadId),
    exclusively: async (threadId, work) => {
      // In one go: a wake that begins from here on waits, and is not waited for.
      const waking = joined.present(threadId)
      const earlier = exchanges.get(threadId)
      const exchange = Promise.allSettled([waking, earlier]).then(work)
      exchanges.set(threadId, exchange)
      try {
        return await exchange
      } finally {
        if (exchanges.get(threadId) === exchange) exchanges.delete(threadId)
      }
    },
    isExchanged: (threadId) => exchanges.has(threadId),
    noteEnd: (row, actual) => noteEnd(dependencies, row, actual),
  }
}
