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
  /** Before the next attempt, by how many in a row brought no event, counted from 0. */
  pauseMs: number | ((attempt: number) => number)
  /** A stream with more events in a second is left, and followed again after the pause. No limit unless given. */
  maxPerSecond?: number
  /** Whether this end is the last one. `error` is undefined when the stream ended without an error. */
  isFinal?: (error: unknown) => boolean
  /** Called for an end by an error that is not final, unless the signal was aborted. */
  onBroken?: (error: unknown) => void
}): Promise<void> {
  const { signal, pauseMs, isFinal = () => false } = options
  let attempt = 0
  while (!signal.aborted) {
    try {
      const isTooFast = countEvents(options.maxPerSecond)
      for await (const event of (await options.connect()) ?? []) {
        if (isTooFast()) throw new Error('the stream sends too much')
        attempt = 0
        await options.onEvent(event)
      }
      if (isFinal(undefined)) return
    } catch (error) {
      if (isFinal(error)) return
      if (!signal.aborted) options.onBroken?.(error)
    }
    await waitAtMost(typeof pauseMs === 'number' ? pauseMs : pauseMs(attempt), { signal })
    attempt += 1
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
