import { type Kysely, sql } from 'kysely'
import type { HandOverOrder } from '../../people/public.ts'
import type { ThreadTables } from '../../threads/public.ts'
import type { ThreadLinkRow, ThreadLinkTables } from './thread-links.table.ts'

/** A currently valid link with the title of its thread. */
export type ValidThreadLink = ThreadLinkRow & { title: string }

/** The only code that accesses `thread_links`. A link is valid until it expires, as long as its thread exists. */
export type ThreadLinkStore = {
  add(row: ThreadLinkRow): Promise<void>
  /** The thread’s valid links, newest first. */
  list(threadId: string, now: number): Promise<ThreadLinkRow[]>
  /** False if the thread has no such link. */
  remove(threadId: string, id: string): Promise<boolean>
  find(sha256: string, now: number): Promise<ValidThreadLink | undefined>
  /** Which of these links are valid. */
  valid(ids: readonly string[], now: number): Promise<Set<string>>
  noteOpened(id: string, now: number): Promise<void>
  /** Counts a copy that is about to be created; false if `max` is reached. */
  takeCopy(id: string, max: number): Promise<boolean>
  /** Reduces the count by a copy that could not be created. */
  uncountCopy(id: string): Promise<void>
  removeExpired(now: number): Promise<void>
  /** Makes the links of one person those of another. */
  handOver(order: HandOverOrder): Promise<void>
}

type Tables = ThreadLinkTables & Pick<ThreadTables, 'threads'>

export function makeThreadLinkStore(database: Kysely<Tables>): ThreadLinkStore {
  const validLinks = (now: number) =>
    database
      .selectFrom('thread_links as link')
      .innerJoin('threads as thread', 'thread.id', 'link.thread_id')
      .where('thread.deleted_at', 'is', null)
      .where((where) => where.or([where('link.expires_at', 'is', null), where('link.expires_at', '>', now)]))
  return {
    handOver: async ({ from, to, threadIds }) => {
      await database
        .updateTable('thread_links')
        .set({ user_id: to })
        .where('user_id', '=', from)
        .$if(threadIds !== 'all', (query) => query.where('thread_id', 'in', threadIds === 'all' ? [] : [...threadIds]))
        .execute()
    },
    add: async (row) => {
      await database.insertInto('thread_links').values(row).execute()
    },
    list: (threadId, now) =>
      validLinks(now)
        .selectAll('link')
        .where('link.thread_id', '=', threadId)
        .orderBy('link.created_at', 'desc')
        .orderBy('link.id')
        .execute(),
    remove: async (threadId, id) => {
      const result = await database
        .deleteFrom('thread_links')
        .where('thread_id', '=', threadId)
        .where('id', '=', id)
        .executeTakeFirst()
      return result.numDeletedRows > 0n
    },
    find: (sha256, now) =>
      validLinks(now).selectAll('link').select('thread.title').where('link.sha256', '=', sha256).executeTakeFirst(),
    valid: async (ids, now) => {
      if (ids.length === 0) return new Set()
      const rows = await validLinks(now).select('link.id').where('link.id', 'in', ids).execute()
      return new Set(rows.map(({ id }) => id))
    },
    noteOpened: async (id, now) => {
      await database
        .updateTable('thread_links')
        .set({ opened_count: sql<number>`opened_count + 1`, last_opened_at: now })
        .where('id', '=', id)
        .execute()
    },
    takeCopy: async (id, max) => {
      const result = await database
        .updateTable('thread_links')
        .set({ copied_count: sql<number>`copied_count + 1` })
        .where('id', '=', id)
        .where('allows_copies', '=', 1)
        .where('copied_count', '<', max)
        .executeTakeFirst()
      return result.numUpdatedRows > 0n
    },
    uncountCopy: async (id) => {
      await database
        .updateTable('thread_links')
        .set({ copied_count: sql<number>`copied_count - 1` })
        .where('id', '=', id)
        .where('copied_count', '>', 0)
        .execute()
    },
    removeExpired: async (now) => {
      await database.deleteFrom('thread_links').where('expires_at', '<=', now).execute()
    },
  }
}
