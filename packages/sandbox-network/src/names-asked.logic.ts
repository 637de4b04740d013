/** The hostnames that a sandbox looked up and got an address for. */
export type NamesAsked = {
  /** Lookups before this time are unknown: the daemon was not running or there were too many names. */
  knownSince: number
  /**
   * Most frequent first. `isAtLeast`: there were more lookups than are remembered, so `count` covers only the last
   * ones.
   */
  names: { name: string; count: number; isAtLeast: boolean; reason?: RefusedReason }[]
}

/**
 * Why a sandbox did not reach a name. `address-private`: the name has only addresses that no sandbox reaches.
 * `address-out-of-range`: the name is allowed for a range, and has another address.
 */
export type RefusedReason = 'policy' | 'address-private' | 'address-out-of-range'

/** Remembers, as long as the process is running, which names each sandbox looked up. */
export type NamesLog = {
  /** Starts recording; `key` identifies the sandbox. */
  begin(key: string): void
  /** With the reason, if it was refused. */
  note(key: string, asked: string | { name: string; reason: RefusedReason }): void
  /** Undefined: the sandbox was never recorded. */
  since(key: string, sinceMs: number): NamesAsked | undefined
  forget(key: string): void
}

/** Limits per sandbox, because a sandbox could otherwise fill the daemon’s memory. */
const most = { names: 200, questions: 100 }

type NameQueries = {
  name: string
  reason: RefusedReason | undefined
  /** Oldest first. */
  times: number[]
  /** When the newest forgotten lookup was. */
  forgottenAt: number
}
/** By name and reason. */
type Log = { knownSince: number; asked: Map<string, NameQueries> }

export function makeNamesLog(now: () => number): NamesLog {
  const logs = new Map<string, Log>()
  return {
    begin: (key) => {
      if (!logs.has(key)) logs.set(key, { knownSince: now(), asked: new Map() })
    },
    note: (key, what) => {
      const log = logs.get(key)
      if (log === undefined) return
      const asked = typeof what === 'string' ? { name: what, reason: undefined } : what
      const [name, reason] = [readableEntry(asked.name), asked.reason]
      const id = `${name} ${reason}`
      const earlier = log.asked.get(id) ?? { times: [], forgottenAt: Number.NEGATIVE_INFINITY }
      const times = [...earlier.times, now()]
      const forgottenAt = times.length > most.questions ? times.shift() : undefined
      // Moves the name to the end: the least recently used one is first.
      log.asked.delete(id)
      log.asked.set(id, { name, reason, times, forgottenAt: forgottenAt ?? earlier.forgottenAt })
      for (const [oldest, { times: past }] of log.asked) {
        if (log.asked.size <= most.names) break
        log.asked.delete(oldest)
        log.knownSince = Math.max(log.knownSince, (past.at(-1) ?? 0) + 1)
      }
    },
    since: (key, sinceMs) => {
      const log = logs.get(key)
      if (log === undefined) return undefined
      const names = [...log.asked.values()].flatMap(({ name, reason, times, forgottenAt }) => {
        const count = times.filter((time) => time >= sinceMs).length
        return count === 0 ? [] : [{ name, count, isAtLeast: forgottenAt >= sinceMs, ...(reason && { reason }) }]
      })
      return { knownSince: log.knownSince, names: names.toSorted((one, other) => other.count - one.count) }
    },
    forget: (key) => void logs.delete(key),
  }
}

/** A name, or what the relay refused: a name with its port. */
function readableEntry(asked: string): string {
  const [port = ''] = /:\d{1,5}$/.exec(asked) ?? []
  return readableName(asked.slice(0, asked.length - port.length)) + port
}

/** Names can contain any bytes that a program sends. */
export function readableName(name: string): string {
  const plain = name.toLowerCase().replace(/\.$/, '')
  return plain.slice(0, 253).replace(/[^a-z0-9._-]/g, '?')
}
