import type { Kysely } from 'kysely'

/** A sandbox that starts or wakes has one of its person’s places. A row counts only while the sandbox does so. */
export type AwakePlaceRow = { sandbox_id: string; user_id: string; taken_at: number }

export type AwakePlaceTables = { awake_places: AwakePlaceRow }

export async function createAwakePlaceTable(database: Kysely<never>): Promise<void> {
  await database.schema
    .createTable('awake_places')
    .addColumn('sandbox_id', 'text', (column) => column.primaryKey().references('sandboxes.id').onDelete('cascade'))
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('taken_at', 'bigint', (column) => column.notNull())
    .execute()
}
