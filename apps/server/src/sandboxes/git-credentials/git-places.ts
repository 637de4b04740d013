import { gitTooManyRequests } from './git-credentials.errors.ts'

/** A clone has one request at a time: enough for many sandboxes, with a limit for each and for a person with many. */
const maxRequests = { ofSandbox: 16, ofPerson: 48, ofAll: 128 }

/** Limits how many git requests are in progress. */
export type GitRequestLimiter = {
  /** Counts a request until the result is disposed of. Throws `git-credential.too-many-requests`. */
  take(of: { sandboxId: string; personId: string }): Disposable
}

export function makeGitRequestLimiter(): GitRequestLimiter {
  const counts = new Map<string, number>()
  return {
    take: ({ sandboxId, personId }) => {
      const keys = { ofSandbox: `sandbox ${sandboxId}`, ofPerson: `person ${personId}`, ofAll: 'all' }
      const limits = [
        { key: keys.ofAll, limit: maxRequests.ofAll },
        { key: keys.ofPerson, limit: maxRequests.ofPerson },
        { key: keys.ofSandbox, limit: maxRequests.ofSandbox },
      ]
      const full = limits.find(({ key, limit }) => (counts.get(key) ?? 0) >= limit)
      if (full !== undefined) throw gitTooManyRequests({ limit: full.limit })
      for (const { key } of limits) counts.set(key, (counts.get(key) ?? 0) + 1)
      return {
        [Symbol.dispose]: () => {
          for (const { key } of limits) {
            const left = (counts.get(key) ?? 0) - 1
            if (left > 0) counts.set(key, left)
            else counts.delete(key)
          }
        },
      }
    },
  }
}
