import type { Kysely } from 'kysely'

/** The owner’s open offer of ownership: up to one row, whose `id` is always 1. */
export type OwnerOfferRow = { id: number; user_id: string; offered_by: string; created_at: number; expires_at: number }

export type LeavingTables = { owner_offers: OwnerOfferRow }

export async function createLeavingTables(database: Kysely<never>): Promise<void> {
  await database.schema.alterTable('person_states').addColumn('erasing_at', 'bigint').execute()
  await database.schema
    .createTable('owner_offers')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('offered_by', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute()
}
