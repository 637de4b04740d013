import type { Kysely } from 'kysely'

/** Columns of `model_connections`. Booleans are 0 or 1; the key is sealed with the installation's master key. */
export type ModelConnectionRow = {
  id: string
  provider: string
  name: string
  model: string
  base_url: string | null
  sealed_key: string | null
  context_tokens: number | null
  input_usd_per_million: number | null
  output_usd_per_million: number | null
  is_default: number
  /** The user's setting, 0 or 1; null: what is known about the model applies. */
  supports_images: number | null
  /** Ids of models that take over, in this order; null: none. */
  fallback_ids_json: string | null
  created_at: number
}

export type ModelTables = { model_connections: ModelConnectionRow }

export async function createModelTables(database: Kysely<never>): Promise<void> {
  await database.schema
    .createTable('model_connections')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('provider', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('model', 'text', (column) => column.notNull())
    .addColumn('base_url', 'text')
    .addColumn('sealed_key', 'text')
    .addColumn('context_tokens', 'bigint')
    .addColumn('input_usd_per_million', 'double precision')
    .addColumn('output_usd_per_million', 'double precision')
    .addColumn('is_default', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
}

/** Model servers don't report whether a model sees images, and its name doesn't always tell. */
export async function addModelImages(database: Kysely<never>): Promise<void> {
  await database.schema.alterTable('model_connections').addColumn('supports_images', 'integer').execute()
}

export async function addModelFallbacks(database: Kysely<never>): Promise<void> {
  await database.schema.alterTable('model_connections').addColumn('fallback_ids_json', 'text').execute()
}
