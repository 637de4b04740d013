import { waitAtMost } from './wait-at-most.ts'

/**
 * Follows a stream until the signal is aborted, and reconnects after a pause whenever it ends or breaks. Events are
 * handled one after another: the next one is read when `onEvent` has ended. Never rejects.
 */
export async function followWhile<Event>(options: {
  signal: AbortSignal
  /** Undefined: there is nothing to follow at the moment. */
  connect: () => Promise<AsyncIterable<Event> | undefined>
  onEvent: (event: Event) => unknown
  pauseMs: number
  /** A stream with more events in a second is left, and followed again after the pause. No limit unless given. */
  maxPerSecond?: number
  /** Whether this end is the last one. `error` is undefined when the stream ended without an error. */
  isFinal?: (error: unknown) => boolean
  /** Called for an end by an error that is not final, unless the signal was aborted. */
  onBroken?: (error: unknown) => void
}): Promise<void> {
  const { signal, isFinal = () => false } = options
  while (!signal.aborted) {
    try {
      const isTooFast = countEvents(options.maxPerSecond)
      for await (const event of (await options.connect()) ?? []) {
        if (isTooFast()) throw new Error('the stream sends too much')
        await options.onEvent(event)
      }
      if (isFinal(undefined)) return
    } catch (error) {
      if (isFinal(error)) return
      if (!signal.aborted) options.onBroken?.(error)
    }
    await waitAtMost(options.pauseMs, { signal })
  }
}

/** Call it with each event. */
function countEvents(maxPerSecond = Number.POSITIVE_INFINITY): () => boolean {
  let startedAt = performance.now()
  let count = 0
  return () => {
    const now = performance.now()
    if (now - startedAt >= 1000) {
      startedAt = now
      count = 0
    }
    count += 1
    return count > maxPerSecond
  }
}
