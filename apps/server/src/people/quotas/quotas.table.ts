import type { Kysely } from 'kysely'

/** A named set of limits. `values_json`: `QuotaLimits`. */
export type QuotaPresetRow = { id: string; name: string; values_json: string; created_at: number }

/** What is set for one person: `values_json` by an admin, `own_json` by the person. */
export type PersonQuotaRow = { user_id: string; preset_id: string | null; values_json: string; own_json: string }

/** A higher limit on request. `until`: null for ever. */
export type QuotaGrantRow = {
  id: string
  user_id: string
  quota: string
  /** Null: no limit. */
  value: number | null
  until: number | null
  created_by: string
  created_at: number
}

/** A person asks for more. */
export type QuotaRequestRow = {
  id: string
  user_id: string
  quota: string
  note: string
  created_at: number
  decided_at: number | null
  decided_by: string | null
}

export type QuotaTables = {
  quota_presets: QuotaPresetRow
  person_quotas: PersonQuotaRow
  quota_grants: QuotaGrantRow
  quota_requests: QuotaRequestRow
}

export async function createQuotaTables(database: Kysely<never>): Promise<void> {
  await database.schema
    .createTable('quota_presets')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('values_json', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  await database.schema
    .createTable('person_quotas')
    .addColumn('user_id', 'text', (column) => column.primaryKey().references('users.id').onDelete('cascade'))
    .addColumn('preset_id', 'text', (column) => column.references('quota_presets.id').onDelete('set null'))
    .addColumn('values_json', 'text', (column) => column.notNull())
    .addColumn('own_json', 'text', (column) => column.notNull())
    .execute()
  await database.schema
    .createTable('quota_grants')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('quota', 'text', (column) => column.notNull())
    .addColumn('value', 'bigint')
    .addColumn('until', 'bigint')
    .addColumn('created_by', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  await database.schema.createIndex('quota_grants_user_idx').on('quota_grants').columns(['user_id']).execute()
  await database.schema
    .createTable('quota_requests')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('quota', 'text', (column) => column.notNull())
    .addColumn('note', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('decided_at', 'bigint')
    .addColumn('decided_by', 'text')
    .execute()
}
