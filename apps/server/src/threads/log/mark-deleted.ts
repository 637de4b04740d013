import type { Kysely, UpdateQueryBuilder, UpdateResult } from 'kysely'
import type { ThreadTables } from './threads.table.ts'

/** Builds an update that marks all threads as deleted at `at`, in ms. The caller must narrow it to the threads meant. */
export function markDeleted(
  database: Kysely<ThreadTables>,
  at: number,
): UpdateQueryBuilder<ThreadTables, 'threads', 'threads', UpdateResult> {
  return database.updateTable('threads').set({ deleted_at: at }).where('deleted_at', 'is', null)
}
