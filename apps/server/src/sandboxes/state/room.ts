import { waitAtMost } from '@threadbox/concurrency'
import { isThreadboxError } from '@threadbox/errors'

/** Code of the host's error when the machine has no memory left for another awake sandbox. */
export const noMemoryCode = 'host.no-memory'

/**
 * Who waits for a place among the awake sandboxes. Places are given in the order in which they were asked for; nobody
 * overtakes, also not one that comes when a place has just become free.
 */
export type Room = {
  /**
   * Runs `order`, now or when it is this thread's turn, for as long as the machine says that it has no room. Rejects
   * with the reason of `signal` when the wait is given up.
   */
  enter<Result>(threadId: string, order: () => Promise<Result>, wait: Wait): Promise<Result>
  /** How many stand before this thread, counted from 1; undefined when it does not wait. */
  place(threadId: string): { position: number; places: number } | undefined
  /** Something slept, ended or became idle: whoever is next tries again. */
  changed(): void
}

export type Wait = {
  signal: AbortSignal
  /** False: the machine's refusal is passed on instead of waiting. May become true while it is tried. */
  mayWait: boolean
  /** Puts one idle sandbox to sleep. False when none may be. */
  makeRoom: () => Promise<boolean>
}

type Waiting = { threadId: string; wake: () => void }

/** How often the one that is next tries, also when nothing was heard: memory may become free outside of sandboxes. */
const retryMs = 3000

export function makeRoom(dependencies: {
  /** How many are awake now. */
  countAwake: () => Promise<number>
  /** The queue is another one than before. */
  onQueueChanged: (threadIds: readonly string[]) => void
  /** Somebody begins to wait. */
  onWaiting: (threadId: string, place: { position: number; places: number }) => void
}): Room {
  const queue: Waiting[] = []
  let places = 0
  const wakeNext = () => queue[0]?.wake()

  const tryOnce = async <Result>(
    order: () => Promise<Result>,
    { makeRoom }: Pick<Wait, 'makeRoom'>,
    mayEvict: () => boolean,
  ): Promise<{ result: Result } | { refusal: Error }> => {
    for (;;) {
      try {
        return { result: await order() }
      } catch (error) {
        if (!isThreadboxError(error) || error.code !== noMemoryCode) throw error
        if (!mayEvict() || !(await makeRoom())) return { refusal: error }
      }
    }
  }
  const leave = (waiting: Waiting) => {
    const index = queue.indexOf(waiting)
    if (index >= 0) queue.splice(index, 1)
    dependencies.onQueueChanged([waiting.threadId, ...queue.map(({ threadId }) => threadId)])
    wakeNext()
  }
  const waitForTurn = async <Result>(threadId: string, order: () => Promise<Result>, wait: Wait) => {
    const waiting: Waiting = { threadId, wake: () => {} }
    queue.push(waiting)
    try {
      places = await dependencies.countAwake()
      dependencies.onQueueChanged([threadId])
      dependencies.onWaiting(threadId, { position: queue.indexOf(waiting) + 1, places })
      for (;;) {
        await heard(waiting, wait.signal)
        if (queue[0] !== waiting) continue
        const attempt = await tryOnce(order, wait, () => true)
        if ('result' in attempt) return attempt.result
      }
    } finally {
      leave(waiting)
    }
  }
  return {
    enter: async (threadId, order, wait) => {
      if (queue.length === 0 || !wait.mayWait) {
        const attempt = await tryOnce(order, wait, () => wait.mayWait)
        if ('result' in attempt) return attempt.result
        if (!wait.mayWait) throw attempt.refusal
      }
      return await waitForTurn(threadId, order, wait)
    },
    place: (threadId) => {
      const index = queue.findIndex((waiting) => waiting.threadId === threadId)
      return index < 0 ? undefined : { position: index + 1, places }
    },
    changed: wakeNext,
  }
}

/** Resolves when the waiting one is called or enough time has passed; rejects when its wait is given up. */
async function heard(waiting: Waiting, signal: AbortSignal): Promise<void> {
  const woken = Promise.withResolvers<void>()
  waiting.wake = woken.resolve
  await waitAtMost(retryMs, { work: woken.promise, signal })
  signal.throwIfAborted()
}
