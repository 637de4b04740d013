import type { Kysely } from 'kysely'

/** A terminal of a thread. Its shell and what it printed live in the boot `boot_id`, and nowhere else. */
export type TerminalRow = {
  thread_id: string
  id: string
  title: string
  boot_id: string
  created_at: number
  /** Of its shell; null while nobody has seen it end. */
  exit_code: number | null
}

export type TerminalTables = { terminals: TerminalRow }

export async function createTerminalTables(database: Kysely<never>): Promise<void> {
  await database.schema
    .createTable('terminals')
    .addColumn('thread_id', 'text', (column) => column.notNull().references('threads.id').onDelete('cascade'))
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('boot_id', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('exit_code', 'integer')
    .addPrimaryKeyConstraint('terminals_pk', ['thread_id', 'id'])
    .execute()
}
