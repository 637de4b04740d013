import type { Kysely } from 'kysely'

/** What stands for a secret in one sandbox. Never used again after the grant has ended. */
export type PlaceholderRow = { secret_id: string; sandbox_id: string; placeholder: string }

/** A sandbox whose secrets were sent to the broker or into it, and how often. */
export type SandboxSecretsRow = { sandbox_id: string; revision: number }

export type PlaceholderTables = { secret_placeholders: PlaceholderRow; sandbox_secrets: SandboxSecretsRow }

export async function createPlaceholderTables(database: Kysely<never>): Promise<void> {
  const tables = database as unknown as Kysely<PlaceholderTables>
  await tables.schema
    .createTable('secret_placeholders')
    .addColumn('secret_id', 'text', (column) => column.notNull().references('secrets.id').onDelete('cascade'))
    .addColumn('sandbox_id', 'text', (column) => column.notNull().references('sandboxes.id').onDelete('cascade'))
    .addColumn('placeholder', 'text', (column) => column.notNull().unique())
    .addPrimaryKeyConstraint('secret_placeholders_pk', ['sandbox_id', 'secret_id'])
    .execute()
  await tables.schema
    .createTable('sandbox_secrets')
    .addColumn('sandbox_id', 'text', (column) => column.primaryKey().references('sandboxes.id').onDelete('cascade'))
    .addColumn('revision', 'integer', (column) => column.notNull())
    .execute()
}
