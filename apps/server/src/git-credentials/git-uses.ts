import { LRUCache } from 'lru-cache'
import type { Audit } from '../audit/audit.ts'
import type { GitCredentialStore } from './git-credentials.store.ts'
import type { GitTarget } from './git-target.models.ts'
import type { UsableCredential } from './usable-credentials.ts'

/** Notes what credentials are used for. */
export type GitUses = {
  /** Before the request is made; the same use of the same repository once in a while. */
  record(use: { credential: UsableCredential; target: GitTarget; threadId: string }): Promise<void>
}

/**
 * A clone is several requests, and a program that looks for news asks all the time. A push is noted by itself, as long as
 * they do not come faster than a person could read of them.
 */
const everyMs = { read: 60_000, push: 1_000 }

export function makeGitUses(options: {
  store: Pick<GitCredentialStore, 'update'>
  audit: Audit
  now: () => number
}): GitUses {
  const { store, audit, now } = options
  const noted = new LRUCache<string, number>({ max: 2000 })
  return {
    record: async ({ credential, target, threadId }) => {
      const isPush = target.service === 'receive-pack'
      const kind = isPush ? 'push' : 'read'
      const key = JSON.stringify([kind, credential.id, threadId, target.repository])
      const at = now()
      // What a push begins with changes nothing: the push itself is noted.
      if (isPush && target.isAdvertisement) return
      if (Math.abs(at - (noted.get(key) ?? 0)) < everyMs[kind]) return
      noted.set(key, at)
      await audit.record({
        userId: credential.userId,
        action: isPush ? 'git-credential-pushed' : 'git-credential-read',
        subject: credential.id,
        details: { thread: threadId, server: target.site, repository: target.repository },
      })
      await store.update(credential.id, { last_used_at: at })
    },
  }
}
