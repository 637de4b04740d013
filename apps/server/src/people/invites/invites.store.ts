import { type Kysely, sql } from 'kysely'
import type { InviteRow, InviteTables } from './invites.table.ts'

/** The only code that touches `invites`. */
export type InviteStore = {
  /** Those that can still be used, newest first, without links for a new password. */
  list(now: number): Promise<InviteRow[]>
  insert(row: InviteRow): Promise<void>
  find(sha256: string, now: number): Promise<InviteRow | undefined>
  /** Uses it once, and returns it; undefined if it can’t be used, also because another request was faster. */
  use(sha256: string, now: number): Promise<InviteRow | undefined>
  /** Undoes a use that led to nothing. */
  giveBack(id: string): Promise<void>
  /** Returns false if there is no such invite. */
  remove(id: string): Promise<boolean>
  /** Removes all links with which this person could set a new password. */
  removeResets(userId: string): Promise<void>
  /** Removes all that this person has created. */
  removeBy(userId: string): Promise<void>
  removeExpired(now: number): Promise<void>
}

export function makeInviteStore(database: Kysely<InviteTables>): InviteStore {
  return {
    list: (now) =>
      database
        .selectFrom('invites')
        .selectAll()
        .where('user_id', 'is', null)
        .where('expires_at', '>', now)
        .where('uses_left', '>', 0)
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .execute(),
    insert: async (row) => {
      await database.insertInto('invites').values(row).execute()
    },
    find: (sha256, now) =>
      database
        .selectFrom('invites')
        .selectAll()
        .where('sha256', '=', sha256)
        .where('expires_at', '>', now)
        .where('uses_left', '>', 0)
        .executeTakeFirst(),
    use: (sha256, now) =>
      database
        .updateTable('invites')
        .set({ uses_left: sql`uses_left - 1` })
        .where('sha256', '=', sha256)
        .where('expires_at', '>', now)
        .where('uses_left', '>', 0)
        .returningAll()
        .executeTakeFirst(),
    giveBack: async (id) => {
      await database.updateTable('invites').set({ uses_left: sql`uses_left + 1` }).where('id', '=', id).execute()
    },
    remove: async (id) => {
      const removed = await database
        .deleteFrom('invites')
        .where('id', '=', id)
        .where('user_id', 'is', null)
        .executeTakeFirst()
      return Number(removed.numDeletedRows) > 0
    },
    removeResets: async (userId) => {
      await database.deleteFrom('invites').where('user_id', '=', userId).execute()
    },
    removeBy: async (userId) => {
      await database.deleteFrom('invites').where('created_by', '=', userId).execute()
    },
    removeExpired: async (now) => {
      await database
        .deleteFrom('invites')
        .where((where) => where.or([where('expires_at', '<=', now), where('uses_left', '<=', 0)]))
        .execute()
    },
  }
}
