import { orAborted } from './or-aborted.ts'

/**
 * Work that several callers request at the same time: the first one starts it, the others join. A caller that aborts
 * gets its reason immediately; the work is aborted only when no caller is left, and decides itself whether it can still
 * stop.
 */
export type JoinedWork<Result> = {
  join(key: string, begin: (abandoned: AbortSignal) => Promise<Result>, signal?: AbortSignal): Promise<Result>
  /** The work of this key while it runs. Taking it this way does not count as a caller. */
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
      // Abandoned work is about to end: a new caller starts new work after it.
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
