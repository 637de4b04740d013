import type { Kysely } from 'kysely'

/** A snapshot that the host has. `position` orders those of all threads, because clocks are set. */
export type SnapshotRow = {
  id: string
  thread_id: string
  sandbox_id: string
  position: number
  at: number
  written_bytes: number
}

/**
 * What became of the snapshot of one turn. `snapshot_id` is under which it is taken, and after that the one that has the
 * content: its own, or an earlier one when nothing had changed.
 */
export type TurnSnapshotRow = {
  turn_id: string
  thread_id: string
  position: number
  at: number
  state: 'wanted' | 'taken' | 'missed' | 'failed'
  snapshot_id: string
  problem: string | null
}

export type SnapshotTables = { snapshots: SnapshotRow; turn_snapshots: TurnSnapshotRow }

export async function createSnapshotTables(database: Kysely<never>): Promise<void> {
  await database.schema
    .createTable('snapshots')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('thread_id', 'text', (column) => column.notNull().references('threads.id').onDelete('cascade'))
    .addColumn('sandbox_id', 'text', (column) => column.notNull())
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('written_bytes', 'bigint', (column) => column.notNull())
    .execute()
  await database.schema.createIndex('snapshots_thread_idx').on('snapshots').columns(['thread_id', 'position']).execute()
  await database.schema
    .createTable('turn_snapshots')
    .addColumn('turn_id', 'text', (column) => column.primaryKey())
    .addColumn('thread_id', 'text', (column) => column.notNull().references('threads.id').onDelete('cascade'))
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('snapshot_id', 'text', (column) => column.notNull())
    .addColumn('problem', 'text')
    .execute()
  await database.schema
    .createIndex('turn_snapshots_thread_idx')
    .on('turn_snapshots')
    .columns(['thread_id', 'position'])
    .execute()
}
