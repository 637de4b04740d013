import { makeSingleFlight } from '@threadbox/concurrency'
import type { Logger } from '@threadbox/telemetry'

/** How long a visit may wait for a place and a start in the background, after its page was told to come back. */
const giveUpMs = 300_000
/** For how long a wake that failed is told to the page that waits for it. */
const rememberMs = 60_000

/** Wakes that visits asked for. They go on when the visitor is sent a page that waits. */
export type Waking = {
  /** Joins a wake that is under way. Rejects with what it failed with. */
  wake(threadId: string): Promise<void>
  isUnderWay(threadId: string): boolean
  /** Why the last wake failed, for a while. */
  failure(threadId: string): unknown
}

export function makeWaking(parts: {
  awake: (threadId: string, signal: AbortSignal) => Promise<unknown>
  now: () => number
  logger: Logger
}): Waking {
  const underWay = makeSingleFlight()
  const failures = new Map<string, { error: unknown; at: number }>()
  const begin = async (threadId: string) => {
    try {
      await parts.awake(threadId, AbortSignal.timeout(giveUpMs))
    } catch (error) {
      parts.logger.debug({ err: error, threadId }, 'a visit did not wake a sandbox')
      failures.set(threadId, { error, at: parts.now() })
      throw error
    }
  }
  return {
    wake: (threadId) => {
      const wake = underWay.join(threadId, () => {
        failures.delete(threadId)
        return begin(threadId)
      })
      // Who waits hears of a failure; nobody may be waiting any more.
      wake.catch(() => undefined)
      return wake
    },
    isUnderWay: (threadId) => underWay.present(threadId) !== undefined,
    failure: (threadId) => {
      const last = failures.get(threadId)
      if (last !== undefined && parts.now() - last.at > rememberMs) failures.delete(threadId)
      return failures.get(threadId)?.error
    },
  }
}
