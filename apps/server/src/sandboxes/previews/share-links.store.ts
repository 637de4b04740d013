import type { Kysely } from 'kysely'
import type { HandOverOrder } from '../../people/public.ts'
import { canWorkSql, type ThreadTables } from '../../threads/public.ts'
import type { ServiceTables } from '../services/services.table.ts'
import type { PassRow, PreviewTables, ShareLinkRow } from './previews.table.ts'

/** A valid link, with the label of its thread’s previews. */
export type ValidLink = ShareLinkRow & { label: string }

export type ShareLinkStore = {
  add(row: ShareLinkRow): Promise<void>
  /** Valid links of the thread, newest first, also those whose service was removed in the meantime. */
  list(threadId: string, now: number): Promise<ShareLinkRow[]>
  /** Removes a link with every pass that came from it. Undefined if the thread has no such link. */
  remove(threadId: string, id: string): Promise<ShareLinkRow | undefined>
  /** The link with this secret, if it is valid, its service exists and its creator can still work in the thread. */
  find(sha256: string, now: number): Promise<ValidLink | undefined>
  /** Adds a pass of a link, and removes the oldest beyond `max`. */
  addPass(row: PassRow & { share_id: string }, max: number): Promise<void>
  removeExpired(now: number): Promise<void>
  /** Makes the links of one person those of another. */
  handOver(order: HandOverOrder): Promise<void>
}

type Tables = PreviewTables & Pick<ServiceTables, 'services'> & Pick<ThreadTables, 'threads'>

export function makeShareLinkStore(database: Kysely<Tables>): ShareLinkStore {
  return {
    add: async (row) => {
      await database.insertInto('preview_shares').values(row).execute()
    },
    list: (threadId, now) =>
      database
        .selectFrom('preview_shares')
        .selectAll()
        .where('thread_id', '=', threadId)
        .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]))
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .execute(),
    remove: (threadId, id) =>
      database
        .deleteFrom('preview_shares')
        .where('thread_id', '=', threadId)
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst(),
    handOver: async ({ from, to, threadIds }) => {
      await database
        .updateTable('preview_shares')
        .set({ user_id: to })
        .where('user_id', '=', from)
        .$if(threadIds !== 'all', (query) => query.where('thread_id', 'in', threadIds === 'all' ? [] : [...threadIds]))
        .execute()
    },
    find: (sha256, now) =>
      database
        .selectFrom('preview_shares as share')
        .innerJoin('preview_labels as label', 'label.thread_id', 'share.thread_id')
        .innerJoin('threads as thread', 'thread.id', 'share.thread_id')
        .innerJoin('services as service', (join) =>
          join
            .onRef('service.thread_id', '=', 'share.thread_id')
            .onRef('service.name', '=', 'share.service')
            .onRef('service.port', '=', 'share.port'),
        )
        .selectAll('share')
        .select('label.label')
        .where('share.sha256', '=', sha256)
        .where('thread.deleted_at', 'is', null)
        .where(canWorkSql({ thread: 'thread', person: 'share.user_id' }))
        .where((where) => where.or([where('share.expires_at', 'is', null), where('share.expires_at', '>', now)]))
        .executeTakeFirst(),
    addPass: async (row, max) => {
      await database.insertInto('preview_passes').values(row).execute()
      const [oldest] = await database
        .selectFrom('preview_passes')
        .select('created_at')
        .where('share_id', '=', row.share_id)
        .orderBy('created_at', 'desc')
        .offset(max)
        .limit(1)
        .execute()
      if (oldest === undefined) return
      await database
        .deleteFrom('preview_passes')
        .where('share_id', '=', row.share_id)
        .where('created_at', '<=', oldest.created_at)
        .execute()
    },
    removeExpired: async (now) => {
      await database.deleteFrom('preview_shares').where('expires_at', '<=', now).execute()
    },
  }
}
