import { type JoinedWork, makeJoinedWork, makeKeyedLock } from '@threadbox/concurrency'
import type { Events } from '../../platform/events/events.ts'
import type { SandboxEvents } from '../sandboxes.events.ts'
import type { SandboxActivity } from './activity.ts'
import type { ReachableSandbox } from './awake-sandbox.ts'
import { waitCanceled } from './sandboxes.errors.ts'
import type { SandboxStore } from './sandboxes.store.ts'

/** What needs the sandboxes of threads at this moment: turns, wakes, and exchanges of their disks. */
export type Claims = {
  /** Marks a turn as running in this thread until the result is disposed of. */
  hold(threadId: string): Disposable
  isHeld(threadId: string): boolean
  /** Wakes the sandbox with `begin`, or joins the wake in progress. */
  wake: JoinedWork<ReachableSandbox>['join']
  /** Resolves when the wake in progress has ended; undefined if there is none. */
  waking(threadId: string): Promise<unknown> | undefined
  /**
   * Runs `work` while no wake of the thread’s sandbox is in progress: a later wake waits for its end, and `work` waits
   * for a wake in progress.
   */
  exclusively<Value>(threadId: string, work: () => Promise<Value>): Promise<Value>
  /** True while such work runs or waits. The sandbox’s row may be outdated then. */
  isExchanged(threadId: string): boolean
  /** Resolves when that work has ended, however it ended. */
  exchanged(threadId: string): Promise<void>
}

export function makeClaims(dependencies: {
  store: Pick<SandboxStore, 'find'>
  activity: Pick<SandboxActivity, 'touch'>
  events: Pick<Events<SandboxEvents>, 'emit'>
  announce: (threadId: string, isRecorded: boolean) => Promise<void>
}): Claims {
  const { store, activity, events } = dependencies
  const holds = new Map<string, number>()
  const exchanges = makeKeyedLock()
  const wakes: JoinedWork<ReachableSandbox> = makeJoinedWork({ abandoned: () => waitCanceled({}) })
  const released = async (threadId: string) => {
    const row = await store.find(threadId).catch(() => undefined)
    if (row !== undefined) activity.touch(row.id)
    void dependencies.announce(threadId, false)
    void events.emit('sandbox-released', { threadId })
  }
  return {
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
          void released(threadId)
        },
      }
    },
    isHeld: (threadId) => holds.has(threadId),
    wake: wakes.join,
    waking: wakes.present,
    exclusively: (threadId, work) => {
      // Read in the same tick: a wake that begins later waits for the work, which does not wait for it.
      const waking = wakes.present(threadId)
      return exchanges(threadId, async () => {
        await waking?.catch(() => undefined)
        return await work()
      })
    },
    isExchanged: exchanges.isBusy,
    exchanged: exchanges.settled,
  }
}
