/** Runs work on the same key one after another, in the order of the calls; work on different keys side by side. */
export function makeKeyedLock() {
  const tails = new Map<string, Promise<unknown>>()
  return async <Result>(key: string, work: () => Promise<Result>): Promise<Result> => {
    const previous = tails.get(key) ?? Promise.resolve()
    const mine = previous.then(work, work)
    const tail = mine.then(
      () => undefined,
      () => undefined,
    )
    tails.set(key, tail)
    try {
      return await mine
    } finally {
      if (tails.get(key) === tail) tails.delete(key)
    }
  }
}
