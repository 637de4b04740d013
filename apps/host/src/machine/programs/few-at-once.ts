export type FewAtOnce = <Result>(work: () => Promise<Result>) => Promise<Result>

/** Runs work side by side, so many at once and no more; the rest waits in the order of the calls. */
export function makeFewAtOnce(count: number): FewAtOnce {
  let free = count
  const waiting: (() => void)[] = []
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) free += 1
      else next()
    }
  }
}
