import type { Kysely } from 'kysely'

/**
 * One request to a model. Rows stay when their thread, workspace or model is removed, so nothing refers to those tables.
 * Costs are whole millionths of a USD.
 */
export type UsageRow = {
  id: string
  at: number
  /** Who pays: the author of the message. */
  user_id: string
  workspace_id: string | null
  thread_id: string | null
  turn_id: string | null
  kind: string
  model_id: string
  model_name: string
  provider: string
  model: string
  input_tokens: number
  output_tokens: number
  cached_input_tokens: number
  cache_write_tokens: number
  /** Null: the model has no price. */
  cost_micro_usd: number | null
  price_version: string | null
  /** 1: the provider’s count did not arrive. */
  is_estimated: number
}

/** Prices of the ledger’s rows. A row is never changed. */
export type PriceVersionRow = { id: string; definition_json: string; created_at: number }

/** `usage_reservations`: the most that a request can cost that has not ended. */
export type UsageTables = { model_usage: UsageRow; usage_reservations: UsageRow; price_versions: PriceVersionRow }

export async function createUsageTables(database: Kysely<never>): Promise<void> {
  await createRows(database, 'model_usage')
  await createRows(database, 'usage_reservations')
  await database.schema
    .createTable('price_versions')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('definition_json', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  await database.schema.createIndex('model_usage_user_idx').on('model_usage').columns(['user_id', 'at']).execute()
  await database.schema.createIndex('model_usage_at_idx').on('model_usage').columns(['at', 'id']).execute()
  await database.schema
    .createIndex('model_usage_workspace_idx')
    .on('model_usage')
    .columns(['workspace_id', 'at'])
    .execute()
}

async function createRows(database: Kysely<never>, table: 'model_usage' | 'usage_reservations'): Promise<void> {
  await database.schema
    .createTable(table)
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('workspace_id', 'text')
    .addColumn('thread_id', 'text')
    .addColumn('turn_id', 'text')
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('model_id', 'text', (column) => column.notNull())
    .addColumn('model_name', 'text', (column) => column.notNull())
    .addColumn('provider', 'text', (column) => column.notNull())
    .addColumn('model', 'text', (column) => column.notNull())
    .addColumn('input_tokens', 'bigint', (column) => column.notNull())
    .addColumn('output_tokens', 'bigint', (column) => column.notNull())
    .addColumn('cached_input_tokens', 'bigint', (column) => column.notNull())
    .addColumn('cache_write_tokens', 'bigint', (column) => column.notNull())
    .addColumn('cost_micro_usd', 'bigint')
    .addColumn('price_version', 'text')
    .addColumn('is_estimated', 'integer', (column) => column.notNull())
    .execute()
}
