import type { Kysely } from 'kysely'

/** Until when the owner or an admin reads a thread that they aren’t in. The reason is in the thread and the audit log. */
export type ThreadOpeningRow = { thread_id: string; user_id: string; until: number }

export type OpeningTables = { thread_openings: ThreadOpeningRow }

export async function createOpeningTable(database: Kysely<never>): Promise<void> {
  await database.schema
    .createTable('thread_openings')
    .addColumn('thread_id', 'text', (column) => column.notNull().references('threads.id').onDelete('cascade'))
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('until', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('thread_openings_pk', ['thread_id', 'user_id'])
    .execute()
}
