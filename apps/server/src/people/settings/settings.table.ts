import type { Kysely } from 'kysely'

/** A setting that was changed in the app. Settings without a row have their default. */
export type SettingRow = { name: string; json: string; updated_at: number; updated_by: string }
export type SettingTables = { settings: SettingRow }

export async function createSettingTables(database: Kysely<never>): Promise<void> {
  await database.schema
    .createTable('settings')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('json', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_by', 'text', (column) => column.notNull())
    .execute()
}
