/**
 * Work of which one per key runs at a time: callers that join while it runs share its result or failure. `begin` is
 * called immediately, and the key is free again when its work has ended, successfully or not.
 */
export type SingleFlight<Result> = {
  join(key: string, begin: () => Promise<Result>): Promise<Result>
  /** The work of this key while it runs. */
  present(key: string): Promise<Result> | undefined
  /** Resolves when all work that runs now has ended. Never rejects. */
  settled(): Promise<void>
}

export function makeSingleFlight<Result = void>(): SingleFlight<Result> {
  const running = new Map<string, Promise<Result>>()
  return {
    join: (key, begin) => {
      const present = running.get(key)
      if (present !== undefined) return present
      const work = begin().finally(() => running.delete(key))
      running.set(key, work)
      return work
    },
    present: (key) => running.get(key),
    settled: async () => void (await Promise.allSettled(running.values())),
  }
}
