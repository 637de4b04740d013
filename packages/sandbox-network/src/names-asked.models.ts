/** Names of other machines that a sandbox asked for and got an address of. */
export type NamesAsked = {
  /** Nothing is known of what was before it: the daemon has not run for longer, or there were too many names. */
  knownSince: number
  /** Most often asked first. `count` is of the last questions only, where there were very many. */
  names: { name: string; count: number }[]
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

type Log = { knownSince: number; times: Map<string, number[]> }

export function makeNamesLog(now: () => number): NamesLog {
  const logs = new Map<string, Log>()
  return {
    begin: (key) => {
      if (!logs.has(key)) logs.set(key, { knownSince: now(), times: new Map() })
    },
    note: (key, asked) => {
      const log = logs.get(key)
      if (log === undefined) return
      const name = readable(asked)
      const times = [...(log.times.get(name) ?? []), now()].slice(-most.questions)
      // The one that was asked for longest ago is the first.
      log.times.delete(name)
      log.times.set(name, times)
      for (const [oldest, { length, [length - 1]: last = 0 }] of log.times) {
        if (log.times.size <= most.names) break
        log.times.delete(oldest)
        log.knownSince = Math.max(log.knownSince, last + 1)
      }
    },
    since: (key, sinceMs) => {
      const log = logs.get(key)
      if (log === undefined) return undefined
      const names = [...log.times].flatMap(([name, times]) => {
        const count = times.filter((time) => time >= sinceMs).length
        return count === 0 ? [] : [{ name, count }]
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
