import type { Kysely } from 'kysely'
import type { ApiKeyRow, UserTables } from './users.table.ts'

/** The only code that touches `api_keys`. */
export type ApiKeyStore = {
  list(userId: string): Promise<ApiKeyRow[]>
  insert(row: ApiKeyRow): Promise<void>
  findBySha256(sha256: string): Promise<ApiKeyRow | undefined>
  touch(id: string, at: number): Promise<void>
  /** Returns false when this user has no such key. */
  delete(userId: string, id: string): Promise<boolean>
}

export function makeApiKeyStore(database: Kysely<UserTables>): ApiKeyStore {
  return {
    list: (userId) =>
      database
        .selectFrom('api_keys')
        .selectAll()
        .where('user_id', '=', userId)
        .orderBy('created_at')
        .orderBy('id')
        .execute(),
    insert: async (row) => {
      await database.insertInto('api_keys').values(row).execute()
    },
    findBySha256: (sha256) =>
      database.selectFrom('api_keys').selectAll().where('sha256', '=', sha256).executeTakeFirst(),
    touch: async (id, at) => {
      await database.updateTable('api_keys').set({ last_used_at: at }).where('id', '=', id).execute()
    },
    delete: async (userId, id) => {
      const result = await database
        .deleteFrom('api_keys')
        .where('id', '=', id)
        .where('user_id', '=', userId)
        .executeTakeFirst()
      return Number(result.numDeletedRows) > 0
    },
  }
}
