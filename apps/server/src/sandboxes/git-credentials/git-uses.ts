import type { Logger } from '@threadbox/telemetry'
import { LRUCache } from 'lru-cache'
import type { Audit } from '../../people/public.ts'
import type { GitCredentialStore } from './git-credentials.store.ts'
import type { GitTarget } from './git-target.models.ts'
import type { UsableCredential } from './usable-credentials.ts'

type GitUse = { credential: UsableCredential; target: GitTarget; threadId: string }

/** Notes what credentials are used for. Disposed of, it notes what it still counts. */
export type GitUses = AsyncDisposable & {
  /** The same use of the same repository once in a while. Of a push before it is made, else when the server has agreed. */
  record(use: GitUse): Promise<void>
}

/**
 * A clone is several requests, and a program that looks for news asks all the time. A push is noted by itself, as long as
 * they do not come faster than a person could read of them.
 */
const everyMs = { read: 60_000, push: 1_000 }
/** Names of repositories are a sandbox's own, as many as it likes: rows of one credential in one thread have a bound. */
const budget = { rows: 60, everyMs: 60_000 }

const leftOutUnknown =
  'how many uses of a Git credential are not in the log of the installation could not be written there'

/** What was noted of one credential in one thread since it was used first, for a minute at most. */
type Spent = { rows: number; leftOut: number; timer: NodeJS.Timeout; end: () => Promise<void> }

export function makeGitUses(options: {
  store: Pick<GitCredentialStore, 'update'>
  audit: Audit
  now: () => number
  logger: Logger
}): GitUses {
  const { store, audit, now } = options
  const noted = new LRUCache<string, number>({ max: 2000 })
  const spent = new Map<string, Spent>()
  const begin = (key: string, use: GitUse): Spent => {
    const { credential, threadId } = use
    const end = async () => {
      clearTimeout(begun.timer)
      spent.delete(key)
      if (begun.leftOut === 0) return
      await audit.record({
        userId: credential.userId,
        action: 'git-credential-uses-left-out',
        subject: credential.id,
        details: { thread: threadId, count: begun.leftOut },
      })
    }
    const atEnd = () =>
      end().catch((err: unknown) => {
        options.logger.warn({ err }, 'uses of git are not in the log yet')
        // They are in the row of the minute that comes.
        const next = spent.get(key) ?? begin(key, use)
        next.leftOut += begun.leftOut
      })
    const begun: Spent = { rows: 0, leftOut: 0, end, timer: setTimeout(() => void atEnd(), budget.everyMs).unref() }
    spent.set(key, begun)
    return begun
  }
  return {
    record: async (use) => {
      const { credential, target, threadId } = use
      const isPush = target.service === 'receive-pack'
      const kind = isPush ? 'push' : 'read'
      const at = now()
      // What a push begins with changes nothing: the push itself is noted.
      if (isPush && target.isAdvertisement) return
      const key = JSON.stringify([kind, credential.id, threadId, target.repository])
      if (Math.abs(at - (noted.get(key) ?? 0)) < everyMs[kind]) return
      noted.set(key, at)
      const place = JSON.stringify([credential.id, threadId])
      const ofPlace = spent.get(place) ?? begin(place, use)
      if (ofPlace.rows >= budget.rows) {
        ofPlace.leftOut += 1
        return
      }
      ofPlace.rows += 1
      await audit.record({
        userId: credential.userId,
        action: isPush ? 'git-credential-pushed' : 'git-credential-read',
        subject: credential.id,
        details: { thread: threadId, server: target.site, repository: target.repository },
      })
      await store.update(credential.id, { last_used_at: at })
    },
    [Symbol.asyncDispose]: async () => {
      const ended = await Promise.allSettled([...spent.values()].map(({ end }) => end()))
      // The rest of the server is to end all the same.
      for (const one of ended) if (one.status === 'rejected') options.logger.error({ err: one.reason }, leftOutUnknown)
    },
  }
}
