/** Runs work of one key one after another, in the order it was asked for; work of other keys is not held up. */
export function makeKeyedMutex(): <Result>(key: string, work: () => Promise<Result>) => Promise<Result> {
  const tails = new Map<string, Promise<unknown>>()
  return (key, work) => {
    const next = (tails.get(key) ?? Promise.resolve()).then(work, work)
    const settled = next.then(
      () => undefined,
      () => undefined,
    )
    tails.set(key, settled)
    void settled.then(() => {
      if (tails.get(key) === settled) tails.delete(key)
    })
    return next
  }
}
