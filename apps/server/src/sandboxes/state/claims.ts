import { type JoinedWork, makeJoinedWork, makeKeyedLock } from '@threadbox/concurrency'
import type { Events } from '../../platform/events/events.ts'
import type { SandboxEvents } from '../sandboxes.events.ts'
import type { SandboxActivity } from './activity.ts'
import type { ReachableSandbox } from './awake-sandbox.ts'
import { waitGivenUp } from './sandboxes.errors.ts'
import type { SandboxStore } from './sandboxes.store.ts'

/** What needs the sandboxes of threads at this moment: turns, wakes, and exchanges of their disks. */
export type Claims = {
  /** A turn runs in this thread until the result is disposed of. */
  hold(threadId: string): Disposable
  isHeld(threadId: string): boolean
  /** Brings the sandbox awake by `begin`, or joins who does already. */
  wake: JoinedWork<ReachableSandbox>['join']
  /** Resolves when the wake that is under way has ended; undefined while there is none. */
  waking(threadId: string): Promise<unknown> | undefined
  /**
   * Does `work` while nobody brings the sandbox of the thread awake: who wants it waits for the end, and so does `work` for a
   * wake that is under way.
   */
  exclusively<Value>(threadId: string, work: () => Promise<Value>): Promise<Value>
  /** Whether that is so now: what the record says of the sandbox may be behind. */
  isExchanged(threadId: string): boolean
  /** Resolves when that is over, however it ended. */
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
  const wakes: JoinedWork<ReachableSandbox> = makeJoinedWork({ abandoned: () => waitGivenUp({}) })
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
      // In one go: a wake that begins from here on waits, and is not waited for.
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
