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
 * Each copy lets the computer of the thread stand still for a moment and takes disk and memory. Enough for a class; a bound
 * for a person in a loop.
 */
const maxCopies = 20

/** Threads of their own that people of the installation make by a link of somebody else's. */
export type CopiesByLink = {
  /** What a copy would begin with. Throws `thread-link.no-copy`, whatever the reason. */
  look(secret: string): Promise<SharedThread>
  /** Throws `thread-link.no-copy` and `thread-link.copies-used-up`, and what a fork throws. */
  copy(userId: string, secret: string): Promise<Thread>
}

export function makeCopiesByLink(parts: {
  store: ThreadLinkStore
  forks: Pick<Forks, 'copyFor' | 'look'>
  threadOf: (threadId: string) => Promise<ThreadRow | undefined>
  audit: Audit
  system: System
}): CopiesByLink {
  const { store, forks, audit, system } = parts
  const find = async (secret: string): Promise<ValidThreadLink> => {
    const link = await store.find(sha256Of(secret), system.now())
    if (link?.allows_copies !== 1) throw threadLinkNoCopy({})
    return link
  }
  return {
    look: async (secret) => {
      const link = await find(secret)
      const { title, expires_at: expiresAt } = link
      return { title, ...(await forks.look(link.thread_id)), copiesLeft: copiesLeftOf(link), expiresAt }
    },
    copy: async (userId, secret) => {
      const link = await find(secret)
      const thread = await parts.threadOf(link.thread_id)
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
        await store.giveCopyBack(link.id)
        throw error
      }
    },
  }
}

/** How many copies a link still allows. */
export function copiesLeftOf({ allows_copies, copied_count }: ThreadLinkRow): number {
  return allows_copies === 1 ? Math.max(0, maxCopies - copied_count) : 0
}
