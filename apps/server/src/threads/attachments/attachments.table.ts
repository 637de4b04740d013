import type { Kysely } from 'kysely'

/** A file that a user attached to a thread. Its bytes are a blob; `delivered_at` is when the sandbox got a copy. */
export type AttachmentRow = {
  id: string
  thread_id: string
  name: string
  media_type: string
  size_bytes: number
  path: string
  sha256: string
  created_at: number
  delivered_at: number | null
}

export type AttachmentTables = { attachments: AttachmentRow }

export async function createAttachmentTables(database: Kysely<never>): Promise<void> {
  await database.schema
    .createTable('attachments')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('thread_id', 'text', (column) => column.notNull().references('threads.id').onDelete('cascade'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('media_type', 'text', (column) => column.notNull())
    .addColumn('size_bytes', 'bigint', (column) => column.notNull())
    .addColumn('path', 'text', (column) => column.notNull())
    .addColumn('sha256', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('delivered_at', 'bigint')
    .addUniqueConstraint('attachments_path', ['thread_id', 'path'])
    .execute()
}
