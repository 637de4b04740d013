import type { Kysely } from 'kysely'

/** Long work that survives a crash: its subject and progress. A finished operation has no row. */
export type OperationRow = {
  id: string
  kind: string
  subject_id: string
  phase: string
  json: string
  /** Not before this time: the end of an undo time, or the wait after a failure. */
  due_at: number
  attempts: number
  last_error: string | null
  created_at: number
}

export type OperationTables = { operations: OperationRow }

export async function createOperationTables(database: Kysely<never>): Promise<void> {
  await database.schema
    .createTable('operations')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('subject_id', 'text', (column) => column.notNull())
    .addColumn('phase', 'text', (column) => column.notNull())
    .addColumn('json', 'text', (column) => column.notNull())
    .addColumn('due_at', 'bigint', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('last_error', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('operations_subject', ['kind', 'subject_id'])
    .execute()
}
