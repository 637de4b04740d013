import type { Logger } from '@threadbox/telemetry'
import { LRUCache } from 'lru-cache'
import type { Audit } from '../../people/public.ts'
import type { GitCredentialStore } from './git-credentials.store.ts'
import type { GitTarget } from './git-target.logic.ts'
import type { UsableCredential } from './usable-credentials.ts'

type GitUse = { credential: UsableCredential; target: GitTarget; threadId: string }

/** Records uses of credentials in the audit log. Disposing of it records the counts that are pending. */
export type GitUses = AsyncDisposable & {
  /**
   * Records the same use of the same repository at intervals: a push before it is made, a read after the server
   * accepted it.
   */
  record(use: GitUse): Promise<void>
}

/**
 * A clone is several requests, and a program that polls sends them all the time. Each push has its own row, unless
 * pushes come faster than a reader could follow.
 */
const everyMs = { read: 60_000, push: 1_000 }
/** A sandbox can make up any number of repository names, so one credential in one thread has a limit of rows. */
const budget = { rows: 60, everyMs: 60_000 }

const leftOutUnknown =
  'how many uses of a Git credential are not in the log of the installation could not be written there'

/** Rows recorded for one credential in one thread since its first use, for up to a minute. */
type UseWindow = { rows: number; leftOut: number; timer: NodeJS.Timeout; end: () => Promise<void> }

export function makeGitUses(options: {
  store: Pick<GitCredentialStore, 'update'>
  audit: Pick<Audit, 'record'>
  now: () => number
  logger: Logger
}): GitUses {
  const { store, audit, now } = options
  const noted = new LRUCache<string, number>({ max: 2000 })
  const windows = new Map<string, UseWindow>()
  const begin = (key: string, use: GitUse): UseWindow => {
    const { credential, threadId } = use
    const end = async () => {
      clearTimeout(begun.timer)
      windows.delete(key)
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
        options.logger.warn({ err }, 'uses of a Git credential are not in the audit log yet')
        // They are added to the next minute’s row.
        const next = windows.get(key) ?? begin(key, use)
        next.leftOut += begun.leftOut
      })
    const begun: UseWindow = { rows: 0, leftOut: 0, end, timer: setTimeout(() => void atEnd(), budget.everyMs).unref() }
    windows.set(key, begun)
    return begun
  }
  return {
    record: async (use) => {
      const { credential, target, threadId } = use
      const isPush = target.service === 'receive-pack'
      const kind = isPush ? 'push' : 'read'
      const at = now()
      // A push’s first request changes nothing: the push itself is recorded.
      if (isPush && target.isAdvertisement) return
      const key = JSON.stringify([kind, credential.id, threadId, target.repository])
      if (Math.abs(at - (noted.get(key) ?? 0)) < everyMs[kind]) return
      noted.set(key, at)
      const windowKey = JSON.stringify([credential.id, threadId])
      const window = windows.get(windowKey) ?? begin(windowKey, use)
      if (window.rows >= budget.rows) {
        window.leftOut += 1
        return
      }
      window.rows += 1
      await audit.record({
        userId: credential.userId,
        action: isPush ? 'git-credential-pushed' : 'git-credential-read',
        subject: credential.id,
        details: { thread: threadId, server: target.site, repository: target.repository },
      })
      await store.update(credential.id, { last_used_at: at })
    },
    [Symbol.asyncDispose]: async () => {
      const ended = await Promise.allSettled([...windows.values()].map(({ end }) => end()))
      // An error must not stop the rest of the server from closing.
      for (const one of ended) if (one.status === 'rejected') options.logger.error({ err: one.reason }, leftOutUnknown)
    },
  }
}
