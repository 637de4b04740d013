import { waitAtMost } from '@threadbox/concurrency'

/** Tells whoever waits in this process that something about the services of a thread has changed. */
export type ServiceChanges = {
  tell(threadId: string): void
  /** Resolves with the first answer of `look` that is not undefined, or with undefined when it takes too long. */
  until<Found>(
    threadId: string,
    look: () => Promise<Found | undefined>,
    limit: { timeoutMs: number; signal?: AbortSignal },
  ): Promise<Found | undefined>
}

export function makeServiceChanges(): ServiceChanges {
  const listeners = new Map<string, Set<() => void>>()
  const nextChange = (threadId: string) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const ofThread = listeners.get(threadId) ?? new Set()
    listeners.set(threadId, ofThread.add(resolve))
    const forget = () => {
      ofThread.delete(resolve)
      if (ofThread.size === 0 && listeners.get(threadId) === ofThread) listeners.delete(threadId)
    }
    return { promise, forget }
  }
  return {
    tell: (threadId) => {
      for (const listener of listeners.get(threadId) ?? []) listener()
    },
    until: async (threadId, look, { timeoutMs, signal }) => {
      const startedAt = performance.now()
      for (;;) {
        signal?.throwIfAborted()
        const leftMs = timeoutMs - (performance.now() - startedAt)
        // Listened for before looking, so that no change falls in between.
        const next = nextChange(threadId)
        try {
          const found = await look()
          if (found !== undefined || leftMs <= 0) return found
          await waitAtMost(leftMs, { work: next.promise, ...(signal === undefined ? {} : { signal }) })
        } finally {
          next.forget()
        }
      }
    },
  }
}
