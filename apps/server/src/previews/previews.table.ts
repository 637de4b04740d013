import type { Kysely } from 'kysely'

/**
 * The name that a thread's previews have in their host names. Rows stay when their thread is gone, without its id: a
 * browser may still hold cookies, caches and service workers of that name, which another thread must never get.
 */
type LabelRow = { label: string; thread_id: string | null; created_at: number }

/**
 * Who may see one port of one thread. A `ticket` is used once and becomes a `cookie`. Both are random values of which
 * only the SHA-256 is kept. A pass goes with the login or the API key that it came from, and with its thread.
 */
export type PassRow = {
  sha256: string
  kind: string
  user_id: string
  session_id: string | null
  api_key_id: string | null
  thread_id: string
  port: number
  /** Origin of the app that may show the page in a frame; empty for none. */
  app_origin: string
  /** Where the ticket leads to. */
  path: string
  created_at: number
  expires_at: number
}

export type PreviewTables = { preview_labels: LabelRow; preview_passes: PassRow }

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
