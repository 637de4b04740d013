import type { Kysely } from 'kysely'

/**
 * A rewind of a thread. `begun`, `undoing`: it is being made or undone, and finished after a crash. `done`: it can be
 * undone for as long as `last_turn_id` is the last turn and `kept_id` is kept. One that was undone has no row.
 */
export type RewindRow = {
  id: string
  thread_id: string
  state: 'begun' | 'done' | 'undoing'
  /** Orders those of a thread, because clocks are set. */
  position: number
  at: number
  /** The first turn that goes. */
  ordinal: number
  /** The last turn that stays; null: none does. */
  last_turn_id: string | null
  notice_entry_id: string
  /** Null: the thread had no disk. */
  sandbox_id: string | null
  /** The snapshot that the disk gets back; null: its image. */
  target_id: string | null
  /** Under which the present is kept before the disk changes: by the rewind, and by its undo. */
  keep_id: string
  undo_keep_id: string | null
  /** The snapshot that has what was undone. */
  kept_id: string | null
  /** Of the boot that comes of the memory of then, if there is some: by the rewind, and by its undo. */
  boot_id: string | null
  undo_boot_id: string | null
  /** Null until it is done. */
  came_back: 'memory' | 'disk' | null
  /** What ran then, and what ran when it was begun, as manifests; null where nobody could say. */
  then_json: string | null
  present_json: string | null
  /** What left the conversation, as JSON. */
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
