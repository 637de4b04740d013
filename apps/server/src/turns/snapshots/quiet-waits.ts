import { waitAtMost } from '@threadbox/concurrency'

/** Why a wait for a thread to be left alone ended: it was, or somebody wants to go on with it. */
export type QuietEnd = 'quiet' | 'wanted'

/** Waits for threads to be left alone for a moment. What is held by `want` and `hurry` holds until it is disposed. */
export type QuietWaits = {
  /** Ends after this time, or earlier by one of the others; without a time nobody is asked. */
  wait(threadId: string, delayMs: number): Promise<QuietEnd>
  isWanted(threadId: string): boolean
  /** Somebody wants to go on with this thread. */
  want(threadId: string): Disposable
  /** Nothing is waited for: all threads count as left alone. */
  hurry(): Disposable
}

export function makeQuietWaits(): QuietWaits {
  const waits = new Map<string, Set<(end: QuietEnd) => void>>()
  const wanted = new Map<string, number>()
  let hurries = 0
  const count = (threadId: string, change: 1 | -1) => {
    const now = (wanted.get(threadId) ?? 0) + change
    if (now === 0) wanted.delete(threadId)
    else wanted.set(threadId, now)
  }
  return {
    wait: async (threadId, delayMs) => {
      if (delayMs === 0) return 'quiet'
      if (wanted.has(threadId)) return 'wanted'
      if (hurries > 0) return 'quiet'
      const { promise, resolve } = Promise.withResolvers<QuietEnd>()
      const own = waits.get(threadId) ?? new Set()
      waits.set(threadId, own.add(resolve))
      try {
        return (await waitAtMost(delayMs, { work: promise })) === 'late' ? 'quiet' : await promise
      } finally {
        own.delete(resolve)
        if (own.size === 0) waits.delete(threadId)
      }
    },
    isWanted: (threadId) => wanted.has(threadId),
    want: (threadId) => {
      count(threadId, 1)
      for (const end of waits.get(threadId) ?? []) end('wanted')
      return { [Symbol.dispose]: () => count(threadId, -1) }
    },
    hurry: () => {
      hurries += 1
      for (const own of waits.values()) for (const end of own) end('quiet')
      return {
        [Symbol.dispose]: () => {
          hurries -= 1
        },
      }
    },
  }
}
