/** Names of other machines that a sandbox asked for and got an address of. */
export type NamesAsked = {
  /** Nothing is known of what was before it: the daemon has not run for longer, or there were too many names. */
  knownSince: number
  /** Most often asked first. `isAtLeast`: there were more questions than are remembered, so that `count` is of the last ones. */
  names: { name: string; count: number; isAtLeast: boolean }[]
}

/** Remembers, for as long as the process lives, which names each sandbox asked for. */
export type NamesLog = {
  /** From now on it is heard; `key` is a name of the sandbox. */
  begin(key: string): void
  note(key: string, name: string): void
  /** Undefined: it was never heard. */
  since(key: string, sinceMs: number): NamesAsked | undefined
  forget(key: string): void
}

/** What a sandbox asks is its own choice: it is not to fill the daemon's memory. */
const most = { names: 200, questions: 100 }

type Asked = {
  /** Oldest first. */
  times: number[]
  /** When the newest of the questions was that are not remembered. */
  forgottenAt: number
}
type Log = { knownSince: number; asked: Map<string, Asked> }

export function makeNamesLog(now: () => number): NamesLog {
  const logs = new Map<string, Log>()
  return {
    begin: (key) => {
      if (!logs.has(key)) logs.set(key, { knownSince: now(), asked: new Map() })
    },
    note: (key, asked) => {
      const log = logs.get(key)
      if (log === undefined) return
      const name = readable(asked)
      const earlier = log.asked.get(name) ?? { times: [], forgottenAt: Number.NEGATIVE_INFINITY }
      const times = [...earlier.times, now()]
      const forgottenAt = times.length > most.questions ? times.shift() : undefined
      // The one that was asked for longest ago is the first.
      log.asked.delete(name)
      log.asked.set(name, { times, forgottenAt: forgottenAt ?? earlier.forgottenAt })
      for (const [oldest, { times: past }] of log.asked) {
        if (log.asked.size <= most.names) break
        log.asked.delete(oldest)
        log.knownSince = Math.max(log.knownSince, (past.at(-1) ?? 0) + 1)
      }
    },
    since: (key, sinceMs) => {
      const log = logs.get(key)
      if (log === undefined) return undefined
      const names = [...log.asked].flatMap(([name, { times, forgottenAt }]) => {
        const count = times.filter((time) => time >= sinceMs).length
        return count === 0 ? [] : [{ name, count, isAtLeast: forgottenAt >= sinceMs }]
      })
      return { knownSince: log.knownSince, names: names.toSorted((one, other) => other.count - one.count) }
    },
    forget: (key) => void logs.delete(key),
  }
}

/** Names are whatever bytes a program sends. */
function readable(name: string): string {
  const plain = name.toLowerCase().replace(/\.$/, '')
  return plain.slice(0, 253).replace(/[^a-z0-9._-]/g, '?')
}
