import type { Kysely } from 'kysely'

/** A terminal of a thread. Its shell and its output exist only in the boot `boot_id`. */
export type TerminalRow = {
  thread_id: string
  id: string
  title: string
  boot_id: string
  created_at: number
  /** Exit code of the shell; null until its end is known. */
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
