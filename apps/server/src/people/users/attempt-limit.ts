import { tooManyAttempts } from './users.errors.ts'

/**
 * Slows down guessing: up to `limit` attempts per key in `windowMs`. Attempts are counted in this process; a restart
 * forgets them, which costs a guesser more than it gains.
 */
export type AttemptLimit = {
  /** Counts an attempt. Throws `auth.too-many-attempts`. */
  take(key: string): void
  /** Resets the key after a success. */
  clear(key: string): void
}

/** With more keys than this the oldest are forgotten, so that a flood of names doesn't fill the memory. */
const maxKeys = 10_000

export function makeAttemptLimit(options: { limit: number; windowMs: number; now: () => number }): AttemptLimit {
  const windows = new Map<string, { startedAt: number; count: number }>()
  return {
    take: (key) => {
      const now = options.now()
      const known = windows.get(key)
      const hasEnded = known === undefined || now - known.startedAt >= options.windowMs || now < known.startedAt
      const window = hasEnded ? { startedAt: now, count: 0 } : known
      window.count += 1
      windows.delete(key)
      windows.set(key, window)
      if (windows.size > maxKeys) windows.delete(windows.keys().next().value ?? '')
      if (window.count > options.limit) {
        throw tooManyAttempts({ retryAfterSeconds: Math.ceil((window.startedAt + options.windowMs - now) / 1000) })
      }
    },
    clear: (key) => {
      windows.delete(key)
    },
  }
}
