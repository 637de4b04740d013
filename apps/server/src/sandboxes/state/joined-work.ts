/**
 * Work that several callers want at the same time: the first one begins it, the others join. A caller that gives up is
 * answered at once; the work is told only when nobody is left, and decides for itself whether it still can stop.
 */
export type JoinedWork<Result> = {
  join(key: string, begin: (abandoned: AbortSignal) => Promise<Result>, signal?: AbortSignal): Promise<Result>
  /** The work of this key while it is under way. Whoever takes it this way does not count as a caller. */
  present(key: string): Promise<Result> | undefined
}

type Running<Result> = { result: Promise<Result>; callers: number; abandon: AbortController }

export function makeJoinedWork<Result>(options: { abandoned: () => Error }): JoinedWork<Result> {
  const running = new Map<string, Running<Result>>()
  const begin = (key: string, work: (abandoned: AbortSignal) => Promise<Result>): Running<Result> => {
    const abandon = new AbortController()
    const result = work(abandon.signal).finally(() => running.delete(key))
    const begun = { result, callers: 0, abandon }
    running.set(key, begun)
    return begun
  }
  return {
    join: async (key, work, signal) => {
      const present = running.get(key)
      // What nobody wanted any more is about to end: whoever comes now begins anew after it.
      if (present?.abandon.signal.aborted) await present.result.catch(() => undefined)
      const joined = running.get(key) ?? begin(key, work)
      joined.callers += 1
      try {
        return await (signal === undefined ? joined.result : orAborted(joined.result, signal))
      } finally {
        joined.callers -= 1
        if (joined.callers === 0) joined.abandon.abort(options.abandoned())
      }
    },
    present: (key) => running.get(key)?.result,
  }
}

/** The result, or the caller's abort. */
function orAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
