import { waitAtMost } from '@threadbox/concurrency'
import { isThreadboxError } from '@threadbox/errors'

/** Code of the host’s error when its memory is full. */
export const noMemoryCode = 'host.no-memory'

/**
 * FIFO queue of threads that wait for host memory. A thread that arrives when memory has just become free still queues
 * behind earlier ones.
 */
export type WakeQueue = {
  /**
   * Runs `order` now, or when it is this thread’s turn, and again for as long as the host reports that its memory is
   * full. Rejects with the reason of `signal` when the wait is canceled.
   */
  enter<Result>(threadId: string, order: () => Promise<Result>, wait: Wait): Promise<Result>
  /** Undefined if the thread does not wait. */
  positionOf(threadId: string): WakePlace | undefined
  /** How many threads wait. */
  length(): number
  /** Whether the order that runs now had to wait. */
  hasWaited(threadId: string): boolean
  /** Call it when a sandbox slept, ended or became idle: the first thread in the queue tries again. */
  changed(): void
}

/** A position, counted from 1, and the number of awake sandboxes. `limit`: those that its person may have awake. */
export type WakePlace = { position: number; places: number; reason?: 'limit' }

export type Wait = {
  signal: AbortSignal
  /** False: the host’s refusal is thrown instead of waiting. Can become true during an attempt. */
  mayWait: boolean
  /** Pauses one idle sandbox. Returns false if none can be paused. */
  pauseOneIdle: () => Promise<boolean>
}

type Waiting = { threadId: string; wake: () => void }

/** How often the first thread tries without a call: memory can become free outside of sandboxes. */
const retryMs = 3000

export function makeWakeQueue(dependencies: {
  /** Number of sandboxes that are awake now. */
  countAwake: () => Promise<number>
  /** Called with the threads whose position may have changed. */
  onQueueChanged: (threadIds: readonly string[]) => void
  /** Called when a thread begins to wait. */
  onWaiting: (threadId: string, place: WakePlace) => void
  /** Code of the error with which an order says that there is no place; by default that the host’s memory is full. */
  refusalCode?: string
}): WakeQueue {
  const { refusalCode = noMemoryCode } = dependencies
  const queue: Waiting[] = []
  let places = 0
  const wakeNext = () => queue[0]?.wake()

  const tryOnce = async <Result>(
    order: () => Promise<Result>,
    { pauseOneIdle }: Pick<Wait, 'pauseOneIdle'>,
    mayEvict: () => boolean,
  ): Promise<{ result: Result } | { refusal: Error }> => {
    for (;;) {
      try {
        return { result: await order() }
      } catch (error) {
        if (!isThreadboxError(error) || error.code !== refusalCode) throw error
        if (!mayEvict() || !(await pauseOneIdle())) return { refusal: error }
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
        await called(waiting, wait.signal)
        if (queue[0] !== waiting) continue
        const attempt = await tryOnce(order, wait, () => true)
        if ('result' in attempt) return attempt.result
      }
    } finally {
      leave(waiting)
    }
  }
  const positionOf: WakeQueue['positionOf'] = (threadId) => {
    const index = queue.findIndex((waiting) => waiting.threadId === threadId)
    return index < 0 ? undefined : { position: index + 1, places }
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
    positionOf,
    length: () => queue.length,
    hasWaited: (threadId) => positionOf(threadId) !== undefined,
    changed: wakeNext,
  }
}

/** Resolves when the thread is called or enough time has passed; rejects when its wait is canceled. */
async function called(waiting: Waiting, signal: AbortSignal): Promise<void> {
  const woken = Promise.withResolvers<void>()
  waiting.wake = woken.resolve
  await waitAtMost(retryMs, { work: woken.promise, signal })
  signal.throwIfAborted()
}
