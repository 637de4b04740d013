import { waitAtMost } from './wait-at-most.ts'

/** Lets callers in this process wait for changes of a key. */
export type ChangeWaits = {
  /** Reports a change of this key: all its waiting callers check again. */
  notify(key: string): void
  /**
   * Resolves with the first value of `check` that is not undefined, or with undefined when the time is over. Checks at
   * least once, and no change between a check and the wait is missed. Rejects when the signal is aborted or `check` fails.
   */
  until<Found>(
    key: string,
    check: () => Promise<Found | undefined>,
    limit: { timeoutMs: number; signal?: AbortSignal | undefined },
  ): Promise<Found | undefined>
}

export function makeChangeWaits(): ChangeWaits {
  const listeners = new Map<string, Set<() => void>>()
  const nextChange = (key: string) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const ofKey = listeners.get(key) ?? new Set()
    listeners.set(key, ofKey.add(resolve))
    const forget = () => {
      ofKey.delete(resolve)
      if (ofKey.size === 0 && listeners.get(key) === ofKey) listeners.delete(key)
    }
    return { promise, forget }
  }
  return {
    notify: (key) => {
      for (const listener of listeners.get(key) ?? []) listener()
    },
    until: async (key, check, { timeoutMs, signal }) => {
      const startedAt = performance.now()
      for (;;) {
        signal?.throwIfAborted()
        const leftMs = timeoutMs - (performance.now() - startedAt)
        // Subscribes before the check, so that no change is missed in between.
        const next = nextChange(key)
        try {
          const found = await check()
          if (found !== undefined || leftMs <= 0) return found
          await waitAtMost(leftMs, { work: next.promise, signal })
        } finally {
          next.forget()
        }
      }
    },
  }
}
