import type { Machine } from '@threadbox/protocol/public'

/** Counts failed responses by code, since the start. */
export type RecentErrors = {
  note(failed: { code: string; status: number }): void
  list(): Machine['errors']
}

/** More codes than the server has would be a mistake elsewhere. */
const maxCodes = 100

/** From this status on, the server or what it needs has failed, not the request. */
const serverFailed = 500

export function makeRecentErrors(now: () => number): RecentErrors {
  const known = new Map<string, { count: number; lastAt: number }>()
  return {
    note: ({ code, status }) => {
      if (status < serverFailed) return
      const count = (known.get(code)?.count ?? 0) + 1
      // Again at the end, so that the order is that of the last time.
      known.delete(code)
      known.set(code, { count, lastAt: now() })
      const oldest = known.keys().next().value
      if (known.size > maxCodes && oldest !== undefined) known.delete(oldest)
    },
    list: () => [...known].map(([code, { count, lastAt }]) => ({ code, count, lastAt })).reverse(),
  }
}
