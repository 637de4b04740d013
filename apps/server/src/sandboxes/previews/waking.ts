import { makeSingleFlight } from '@threadbox/concurrency'
import type { Logger } from '@threadbox/telemetry'

/** How long a wake can wait for memory and start in the background, after its visitor got a page that waits. */
const timeoutMs = 300_000
/** How long the reason of a failed wake is kept for the page that waits for it. */
const rememberMs = 60_000

/** Wakes for visits. They continue when the visitor is sent a page that waits. */
export type Waking = {
  /** Joins a wake in progress. Rejects with its error. */
  wake(threadId: string): Promise<void>
  isUnderWay(threadId: string): boolean
  /** Why the last wake failed, for a while. */
  failure(threadId: string): unknown
}

export function makeWaking(dependencies: {
  awake: (threadId: string, signal: AbortSignal) => Promise<unknown>
  now: () => number
  logger: Logger
}): Waking {
  const underWay = makeSingleFlight()
  const failures = new Map<string, { error: unknown; at: number }>()
  const begin = async (threadId: string) => {
    try {
      await dependencies.awake(threadId, AbortSignal.timeout(timeoutMs))
    } catch (error) {
      dependencies.logger.debug({ err: error, threadId }, 'a visit did not wake a sandbox')
      failures.set(threadId, { error, at: dependencies.now() })
      throw error
    }
  }
  return {
    wake: (threadId) => {
      const wake = underWay.join(threadId, () => {
        failures.delete(threadId)
        return begin(threadId)
      })
      // Callers that wait get the error; there may be none left.
      wake.catch(() => undefined)
      return wake
    },
    isUnderWay: (threadId) => underWay.present(threadId) !== undefined,
    failure: (threadId) => {
      const last = failures.get(threadId)
      if (last !== undefined && dependencies.now() - last.at > rememberMs) failures.delete(threadId)
      return failures.get(threadId)?.error
    },
  }
}
