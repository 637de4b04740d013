import type { SharedThread, Thread } from '@threadbox/protocol/public'
import type { Audit } from '../../people/public.ts'
import { sha256Of } from '../../platform/secrets/sha256.ts'
import type { System } from '../../platform/system/system.ts'
import type { ThreadRow } from '../../threads/public.ts'
import type { Forks } from '../forks/forks.usecases.ts'
import { threadLinkCopiesUsedUp, threadLinkNoCopy } from './thread-links.errors.ts'
import type { ThreadLinkStore, ValidThreadLink } from './thread-links.store.ts'
import type { ThreadLinkRow } from './thread-links.table.ts'

/**
 * Each copy briefly freezes the thread’s sandbox and uses disk and memory. Enough for a class, and a limit for a user
 * in a loop.
 */
const maxCopies = 20

/** Creates users’ own copies of a thread that another user shared by a link. */
export type CopiesByLink = {
  /** Returns what a copy would contain. Throws `thread-link.no-copy`, whatever the reason. */
  preview(secret: string): Promise<SharedThread>
  /** Throws `thread-link.no-copy` and `thread-link.copies-used-up`, and what a fork throws. */
  copy(userId: string, secret: string): Promise<Thread>
}

export function makeCopiesByLink(dependencies: {
  store: ThreadLinkStore
  forks: Pick<Forks, 'copyFor' | 'preview'>
  threadOf: (threadId: string) => Promise<ThreadRow | undefined>
  /** Throws `auth.outside-workspaces` if the sender can have no threads outside of workspaces. */
  requireOutside: (userId: string) => void
  audit: Audit
  system: System
}): CopiesByLink {
  const { store, forks, audit, system } = dependencies
  const find = async (secret: string): Promise<ValidThreadLink> => {
    const link = await store.find(sha256Of(secret), system.now())
    if (link?.allows_copies !== 1) throw threadLinkNoCopy({})
    return link
  }
  return {
    preview: async (secret) => {
      const link = await find(secret)
      const { title, expires_at: expiresAt } = link
      return { title, ...(await forks.preview(link.thread_id)), copiesLeft: copiesLeftOf(link), expiresAt }
    },
    copy: async (userId, secret) => {
      dependencies.requireOutside(userId)
      const link = await find(secret)
      const thread = await dependencies.threadOf(link.thread_id)
      if (thread === undefined) throw threadLinkNoCopy({})
      if (!(await store.takeCopy(link.id, maxCopies))) throw threadLinkCopiesUsedUp({ max: maxCopies })
      try {
        const made = await forks.copyFor(thread, userId)
        await audit.record({
          userId,
          action: 'thread-copied-by-link',
          subject: link.thread_id,
          details: { link: link.id, copy: made.id },
        })
        return made
      } catch (error) {
        await store.uncountCopy(link.id)
        throw error
      }
    },
  }
}

/** The number of copies that a link still allows. */
export function copiesLeftOf({ allows_copies, copied_count }: ThreadLinkRow): number {
  return allows_copies === 1 ? Math.max(0, maxCopies - copied_count) : 0
}
