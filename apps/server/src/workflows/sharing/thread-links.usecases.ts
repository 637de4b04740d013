import type { CreatedThreadLink, CreateThreadLink, ThreadLink, ThreadLinks } from '@threadbox/protocol/public'
import type { Audit } from '../../people/public.ts'
import { sha256Of } from '../../platform/secrets/sha256.ts'
import type { System } from '../../platform/system/system.ts'
import { makePassSecret } from '../../sandboxes/public.ts'
import { copiesLeftOf } from './copies-by-link.ts'
import { threadLinkLimit, threadLinkNotFound } from './thread-links.errors.ts'
import type { ThreadLinkStore, ValidThreadLink } from './thread-links.store.ts'
import type { ThreadLinkRow } from './thread-links.table.ts'

/** Enough for one link per recipient, and a limit for a program in a loop. */
const maxLinks = 50

/** Public links to a thread: none exist until a user creates one, and they can be revoked immediately. */
export type LinksOfThreads = {
  list(threadId: string): Promise<ThreadLinks>
  /** `origin` is the app’s origin for the caller. Throws `thread-link.limit-reached`. */
  create(
    link: { userId: string; threadId: string; origin: string },
    request: CreateThreadLink,
  ): Promise<CreatedThreadLink>
  /** Revokes a link; readers are disconnected within 5 s. Throws `thread-link.not-found`. */
  end(link: { userId: string; threadId: string; id: string }): Promise<void>
  /** The link with this secret if it is valid, for any caller. */
  find(secret: string): Promise<ValidThreadLink | undefined>
  /** Counts a view of its page. */
  noteOpened(link: ValidThreadLink): Promise<void>
}

export function makeLinksOfThreads(dependencies: {
  store: ThreadLinkStore
  audit: Audit
  system: System
}): LinksOfThreads {
  const { store, audit, system } = dependencies
  return {
    list: async (threadId) => ({ links: (await store.list(threadId, system.now())).map(present) }),
    create: async ({ userId, threadId, origin }, { withFiles, allowsCopies, expiresInSeconds }) => {
      const now = system.now()
      await store.removeExpired(now)
      if ((await store.list(threadId, now)).length >= maxLinks) throw threadLinkLimit({ max: maxLinks })
      const secret = makePassSecret(system)
      const row: ThreadLinkRow = {
        id: system.newId('threadLink'),
        sha256: sha256Of(secret),
        thread_id: threadId,
        user_id: userId,
        with_files: withFiles ? 1 : 0,
        created_at: now,
        opened_count: 0,
        last_opened_at: null,
        allows_copies: allowsCopies === true ? 1 : 0,
        copied_count: 0,
        expires_at: expiresInSeconds === null ? null : now + expiresInSeconds * 1000,
      }
      await store.add(row)
      await audit.record({
        userId,
        action: 'thread-link-created',
        subject: threadId,
        details: { link: row.id, allowsCopies: row.allows_copies === 1 },
      })
      return { ...present(row), url: `${origin}/shared/${secret}` }
    },
    end: async ({ userId, threadId, id }) => {
      if (!(await store.remove(threadId, id))) throw threadLinkNotFound({})
      await audit.record({ userId, action: 'thread-link-ended', subject: threadId, details: { link: id } })
    },
    find: (secret) => store.find(sha256Of(secret), system.now()),
    noteOpened: ({ id }) => store.noteOpened(id, system.now()),
  }
}

function present(row: ThreadLinkRow): ThreadLink {
  return {
    id: row.id,
    withFiles: row.with_files === 1,
    allowsCopies: row.allows_copies === 1,
    copiedCount: row.copied_count,
    copiesLeft: copiesLeftOf(row),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    openedCount: row.opened_count,
    lastOpenedAt: row.last_opened_at,
  }
}
