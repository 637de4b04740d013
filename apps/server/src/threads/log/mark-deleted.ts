import type { Kysely, UpdateQueryBuilder, UpdateResult } from 'kysely'
import type { ThreadTables } from './threads.table.ts'

/** Marks all given threads as deleted at a time in ms. The caller narrows the selection. */
export function markDeleted(
  database: Kysely<ThreadTables>,
  at: number,
): UpdateQueryBuilder<ThreadTables, 'threads', 'threads', UpdateResult> {
  return database.updateTable('threads').set({ deleted_at: at }).where('deleted_at', 'is', null)
}
