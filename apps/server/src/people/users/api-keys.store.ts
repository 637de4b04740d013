import { type Kysely, sql } from 'kysely'
import type { ApiKeyRow, KeyRefusalRow, KeyWorkspaceRow, UserTables } from './users.table.ts'

/** The only code that touches `api_keys`, `api_key_workspaces` and `api_key_refusals`. */
export type ApiKeyStore = {
  list(userId: string): Promise<ApiKeyRow[]>
  insert(row: ApiKeyRow, workspaces: readonly KeyWorkspaceRow[]): Promise<void>
  /** The workspaces to which a key is limited. */
  workspaceIds(id: string): Promise<string[]>
  /** The workspaces to which the user's keys are limited. */
  workspaces(userId: string): Promise<KeyWorkspaceRow[]>
  /** Not that of a disabled person. */
  findBySha256(sha256: string): Promise<ApiKeyRow | undefined>
  touch(id: string, at: number): Promise<void>
  /** Counts a refused call. */
  addRefusal(refusal: Omit<KeyRefusalRow, 'count'>): Promise<void>
  /** The refused calls of a user’s keys since a day, that day included. */
  refusals(userId: string, sinceDay: string): Promise<KeyRefusalRow[]>
  removeRefusalsBefore(day: string): Promise<void>
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
    insert: async (row, workspaces) => {
      await database.transaction().execute(async (transaction) => {
        await transaction.insertInto('api_keys').values(row).execute()
        if (workspaces.length > 0) await transaction.insertInto('api_key_workspaces').values(workspaces).execute()
      })
    },
    workspaceIds: async (id) => {
      const rows = await database
        .selectFrom('api_key_workspaces')
        .select('workspace_id')
        .where('api_key_id', '=', id)
        .execute()
      return rows.map(({ workspace_id }) => workspace_id)
    },
    workspaces: (userId) =>
      database
        .selectFrom('api_key_workspaces')
        .innerJoin('api_keys', 'api_keys.id', 'api_key_workspaces.api_key_id')
        .selectAll('api_key_workspaces')
        .where('api_keys.user_id', '=', userId)
        .orderBy('workspace_id')
        .execute(),
    findBySha256: (sha256) =>
      database
        .selectFrom('api_keys')
        .leftJoin('person_states', 'person_states.user_id', 'api_keys.user_id')
        .selectAll('api_keys')
        .where('sha256', '=', sha256)
        .where('person_states.disabled_at', 'is', null)
        .executeTakeFirst(),
    touch: async (id, at) => {
      await database.updateTable('api_keys').set({ last_used_at: at }).where('id', '=', id).execute()
    },
    addRefusal: async (refusal) => {
      // A key can be deleted while a request with it is refused: then there is nothing to count for.
      await database
        .insertInto('api_key_refusals')
        .columns(['api_key_id', 'action', 'day', 'count'])
        .expression((from) =>
          from
            .selectFrom('api_keys')
            .select(({ val }) => [
              'id as api_key_id',
              val(refusal.action).as('action'),
              val(refusal.day).as('day'),
              sql<number>`1`.as('count'),
            ])
            .where('id', '=', refusal.api_key_id),
        )
        .onConflict((conflict) =>
          conflict
            .columns(['api_key_id', 'action', 'day'])
            .doUpdateSet((builder) => ({ count: builder('api_key_refusals.count', '+', 1) })),
        )
        .execute()
    },
    refusals: (userId, sinceDay) =>
      database
        .selectFrom('api_key_refusals')
        .innerJoin('api_keys', 'api_keys.id', 'api_key_refusals.api_key_id')
        .selectAll('api_key_refusals')
        .where('api_keys.user_id', '=', userId)
        .where('day', '>=', sinceDay)
        .orderBy('api_key_refusals.api_key_id')
        .orderBy('action')
        .orderBy('day')
        .execute(),
    removeRefusalsBefore: async (day) => {
      await database.deleteFrom('api_key_refusals').where('day', '<', day).execute()
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
