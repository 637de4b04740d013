import { gitTooManyRequests } from './git-credentials.errors.ts'

/** A clone has one at a time: room for many sandboxes, a bound for each, and one for whoever has many sandboxes. */
const maxRequests = { ofSandbox: 16, ofPerson: 48, ofAll: 128 }

/** Places for requests of git that are under way. */
export type GitPlaces = {
  /** Taken until the result is disposed of. Throws `git-credential.too-many-requests`. */
  take(of: { sandboxId: string; personId: string }): Disposable
}

export function makeGitPlaces(): GitPlaces {
  const taken = new Map<string, number>()
  return {
    take: ({ sandboxId, personId }) => {
      const keys = { ofSandbox: `sandbox ${sandboxId}`, ofPerson: `person ${personId}`, ofAll: 'all' }
      const places = [
        { key: keys.ofAll, limit: maxRequests.ofAll },
        { key: keys.ofPerson, limit: maxRequests.ofPerson },
        { key: keys.ofSandbox, limit: maxRequests.ofSandbox },
      ]
      const full = places.find(({ key, limit }) => (taken.get(key) ?? 0) >= limit)
      if (full !== undefined) throw gitTooManyRequests({ limit: full.limit })
      for (const { key } of places) taken.set(key, (taken.get(key) ?? 0) + 1)
      return {
        [Symbol.dispose]: () => {
          for (const { key } of places) {
            const left = (taken.get(key) ?? 0) - 1
            if (left > 0) taken.set(key, left)
            else taken.delete(key)
          }
        },
      }
    },
  }
}
