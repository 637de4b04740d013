import type { Kysely } from 'kysely'

/**
 * A rewind of a thread. `begun`, `undoing`: in progress, and finished after a crash. `done`: can be undone as long as
 * `last_turn_id` is the last turn and `kept_id` is kept. The row is deleted when the rewind is undone.
 */
export type RewindRow = {
  id: string
  thread_id: string
  state: 'begun' | 'done' | 'undoing'
  /** Orders the rewinds of a thread, because clocks can be set back. */
  position: number
  at: number
  /** The first removed turn. */
  ordinal: number
  /** The last remaining turn; null: none. */
  last_turn_id: string | null
  notice_entry_id: string
  /** Null: the thread had no disk. */
  sandbox_id: string | null
  /** The snapshot that the disk is restored from; null: the base image. */
  target_id: string | null
  /** The snapshots that keep the current disk before it changes: of the rewind, and of its undo. */
  keep_id: string
  undo_keep_id: string | null
  /** The snapshot that contains what was undone. */
  kept_id: string | null
  /** The boots that are restored from saved memory, if there is any: by the rewind, and by its undo. */
  boot_id: string | null
  undo_boot_id: string | null
  /** Null until the rewind is done. */
  came_back: 'memory' | 'disk' | null
  /** What was running at the target and when the rewind began, as manifests; null if unknown. */
  then_json: string | null
  present_json: string | null
  /** What was removed from the conversation, as JSON. */
  undone_json: string | null
}

export type RewindTables = { rewinds: RewindRow }

export async function createRewindTables(database: Kysely<never>): Promise<void> {
  await database.schema
    .createTable('rewinds')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('thread_id', 'text', (column) => column.notNull().references('threads.id').onDelete('cascade'))
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('ordinal', 'bigint', (column) => column.notNull())
    .addColumn('last_turn_id', 'text')
    .addColumn('notice_entry_id', 'text', (column) => column.notNull())
    .addColumn('sandbox_id', 'text')
    .addColumn('target_id', 'text')
    .addColumn('keep_id', 'text', (column) => column.notNull())
    .addColumn('undo_keep_id', 'text')
    .addColumn('kept_id', 'text')
    .addColumn('undone_json', 'text')
    .execute()
  await database.schema.createIndex('rewinds_thread_idx').on('rewinds').columns(['thread_id', 'position']).execute()
}
