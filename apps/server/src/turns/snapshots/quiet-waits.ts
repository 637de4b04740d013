import { waitAtMost } from '@threadbox/concurrency'

/** Why a wait ended: the thread was idle or counts as idle, or an operation wants to continue with it. */
export type QuietEnd = 'quiet' | 'wanted'

/** Waits until threads have been idle for a moment. `want` and `hurry` apply until they are disposed. */
export type QuietWaits = {
  /**
   * Resolves after `delayMs`, or earlier through `want` or `hurry`. With 0 it resolves with `quiet` without checking
   * `want`.
   */
  wait(threadId: string, delayMs: number): Promise<QuietEnd>
  isWanted(threadId: string): boolean
  /** How often `want` was called for this thread: shows whether it was in between. */
  wantsOf(threadId: string): number
  /** True while `hurry` applies. */
  isHurried(): boolean
  /** Announces that an operation wants to continue with this thread. */
  want(threadId: string): Disposable
  /** Ends all waits: every thread counts as idle, except wanted ones. */
  hurry(): Disposable
}

export function makeQuietWaits(): QuietWaits {
  const waits = new Map<string, Set<(end: QuietEnd) => void>>()
  const wanted = new Map<string, number>()
  const wants = new Map<string, number>()
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
    wantsOf: (threadId) => wants.get(threadId) ?? 0,
    isHurried: () => hurries > 0,
    want: (threadId) => {
      count(threadId, 1)
      wants.set(threadId, (wants.get(threadId) ?? 0) + 1)
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
