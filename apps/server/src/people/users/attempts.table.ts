import type { Kysely } from 'kysely'

/** Attempts that were counted for one key since `started_at`, in ms. `key` is an HMAC of what is counted. */
export type AttemptRow = { key: string; started_at: number; count: number }
export type AttemptTables = { attempt_counts: AttemptRow }

export async function createAttemptTable(database: Kysely<never>): Promise<void> {
  await database.schema
    .createTable('attempt_counts')
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('started_at', 'bigint', (column) => column.notNull())
    .addColumn('count', 'integer', (column) => column.notNull())
    .execute()
}
