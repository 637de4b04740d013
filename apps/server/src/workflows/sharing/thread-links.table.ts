import type { Kysely } from 'kysely'

export type ThreadLinkRow = {
  id: string
  /** The hash of the secret in the address; the secret itself is not stored. */
  sha256: string
  thread_id: string
  /** The user who created it. */
  user_id: string
  with_files: number
  created_at: number
  expires_at: number | null
  opened_count: number
  last_opened_at: number | null
  /** Whether users of the installation can copy the thread, and how many copies were created. */
  allows_copies: number
  copied_count: number
}

export type ThreadLinkTables = { thread_links: ThreadLinkRow }

export async function createThreadLinkTables(database: Kysely<never>): Promise<void> {
  const tables = database as unknown as Kysely<ThreadLinkTables>
  await tables.schema
    .createTable('thread_links')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('sha256', 'text', (column) => column.notNull().unique())
    .addColumn('thread_id', 'text', (column) => column.notNull().references('threads.id').onDelete('cascade'))
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('with_files', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint')
    .addColumn('opened_count', 'integer', (column) => column.notNull())
    .addColumn('last_opened_at', 'bigint')
    .execute()
  await tables.schema.createIndex('thread_links_thread_idx').on('thread_links').column('thread_id').execute()
}

export async function addCopyColumns(database: Kysely<never>): Promise<void> {
  for (const name of ['allows_copies', 'copied_count']) {
    await database.schema
      .alterTable('thread_links')
      .addColumn(name, 'integer', (column) => column.notNull().defaultTo(0))
      .execute()
  }
}
