import type { Kysely } from 'kysely'

/**
 * The name of a thread’s previews in their hostnames. A row stays after its thread is gone, without the thread’s ID:
 * browsers may still hold cookies, caches and service workers of that name, which another thread must never get.
 */
type LabelRow = { label: string; thread_id: string | null; created_at: number }

/**
 * Access to one port of one thread. A `ticket` is used once and becomes a `cookie`. Both are random values; only their
 * SHA-256 is stored. A pass ends with the session, the API key or the share link that it came from, and with its
 * thread.
 */
export type PassRow = {
  sha256: string
  kind: string
  user_id: string
  session_id: string | null
  api_key_id: string | null
  share_id: string | null
  thread_id: string
  port: number
  /** Origin of the app that can show the page in a frame; empty for none. */
  app_origin: string
  /** Path that the ticket opens. */
  path: string
  created_at: number
  expires_at: number
}

/** A link with which anyone can open one service of a thread. Its URL has a secret; only the SHA-256 is stored. */
export type ShareLinkRow = {
  id: string
  sha256: string
  user_id: string
  thread_id: string
  service: string
  port: number
  may_wake: number
  created_at: number
  /** Null: valid until it is revoked. */
  expires_at: number | null
}

export type PreviewTables = { preview_labels: LabelRow; preview_passes: PassRow; preview_shares: ShareLinkRow }

export async function createPreviewTables(database: Kysely<never>): Promise<void> {
  await database.schema
    .createTable('preview_labels')
    .addColumn('label', 'text', (column) => column.primaryKey())
    .addColumn('thread_id', 'text', (column) => column.unique())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  await database.schema
    .createTable('preview_passes')
    .addColumn('sha256', 'text', (column) => column.primaryKey())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('session_id', 'text', (column) => column.references('sessions.id').onDelete('cascade'))
    .addColumn('api_key_id', 'text', (column) => column.references('api_keys.id').onDelete('cascade'))
    .addColumn('thread_id', 'text', (column) => column.notNull().references('threads.id').onDelete('cascade'))
    .addColumn('port', 'integer', (column) => column.notNull())
    .addColumn('app_origin', 'text', (column) => column.notNull())
    .addColumn('path', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute()
  await database.schema
    .createIndex('preview_passes_session')
    .on('preview_passes')
    .columns(['session_id', 'thread_id'])
    .execute()
}

export async function createShareLinkTables(database: Kysely<never>): Promise<void> {
  await database.schema
    .createTable('preview_shares')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('sha256', 'text', (column) => column.notNull().unique())
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('thread_id', 'text', (column) => column.notNull().references('threads.id').onDelete('cascade'))
    .addColumn('service', 'text', (column) => column.notNull())
    .addColumn('port', 'integer', (column) => column.notNull())
    .addColumn('may_wake', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint')
    .execute()
  await database.schema.createIndex('preview_shares_thread').on('preview_shares').column('thread_id').execute()
  await database.schema
    .alterTable('preview_passes')
    .addColumn('share_id', 'text', (column) => column.references('preview_shares.id').onDelete('cascade'))
    .execute()
  await database.schema.createIndex('preview_passes_share').on('preview_passes').column('share_id').execute()
}
