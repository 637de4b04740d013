import { type Kysely, sql } from 'kysely'

/** A snapshot that the host has. `position` orders the snapshots of all threads, because clocks can be changed. */
export type SnapshotRow = {
  id: string
  thread_id: string
  sandbox_id: string
  position: number
  at: number
  written_bytes: number
  /** The size of the memory kept with the snapshot; null: files only. */
  memory_bytes: number | null
}

/**
 * The snapshot of one turn. `snapshot_id` is the id under which it is to be taken, and once taken the id of the
 * snapshot that has the content: its own, or an earlier one if nothing had changed.
 */
export type TurnSnapshotRow = {
  turn_id: string
  thread_id: string
  position: number
  at: number
  state: 'wanted' | 'taken' | 'missed' | 'failed'
  snapshot_id: string
  problem: string | null
  /**
   * Why the snapshot has no memory: a code of the host or one of {@link memoryStates}. Null: it has memory, or the turn
   * used no sandbox.
   */
  memory_problem: string | null
  /**
   * A second snapshot that the host may have for this turn: the one with memory while it is ordered, then the one of
   * files that it replaced, until that is removed. A crash leaves it to be removed.
   */
  other_snapshot_id: string | null
  /** When a person pinned the turn; null: it isn’t pinned. */
  pinned_at: number | null
}

/** What a turn records of its memory besides the host’s codes. */
export const memoryStates = {
  /** It is saved when the thread has been idle for a while. */
  notYet: 'not-yet',
  /** There was nothing to save. */
  nothingRan: 'nothing-ran',
  /** The thread was used again before that. */
  notQuiet: 'not-quiet',
  /** The same while the hour’s limit was reached. */
  leftOut: 'left-out',
  notSaved: 'not-saved',
  noRoom: 'no-room',
  removed: 'removed',
} as const

/**
 * What the guest reported as running when a turn had ended. If the snapshot has memory, the row is of the turn in which
 * that memory was taken: a turn that shares the snapshot later gets no row.
 */
export type TurnManifestRow = {
  turn_id: string
  thread_id: string
  position: number
  snapshot_id: string
  json: string
}

/** Memory that was saved within the last hour, or is being saved. */
export type MemoryWriteRow = { turn_id: string; thread_id: string; at: number; bytes: number }

export type SnapshotTables = {
  snapshots: SnapshotRow
  turn_snapshots: TurnSnapshotRow
  turn_manifests: TurnManifestRow
  memory_writes: MemoryWriteRow
}

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

export async function addSnapshotMemory(database: Kysely<never>): Promise<void> {
  await database.schema.alterTable('snapshots').addColumn('memory_bytes', 'bigint').execute()
  await database.schema.alterTable('turn_snapshots').addColumn('memory_problem', 'text').execute()
  for (const name of ['boot_id', 'undo_boot_id', 'came_back']) {
    await database.schema.alterTable('rewinds').addColumn(name, 'text').execute()
  }
}

export async function addOtherSnapshot(database: Kysely<never>): Promise<void> {
  await database.schema.alterTable('turn_snapshots').addColumn('other_snapshot_id', 'text').execute()
}

export async function addPins(database: Kysely<never>): Promise<void> {
  await database.schema.alterTable('turn_snapshots').addColumn('pinned_at', 'bigint').execute()
  await database.schema
    .createIndex('turn_snapshots_pinned_idx')
    .on('turn_snapshots')
    .columns(['pinned_at'])
    .where(sql.ref('pinned_at'), 'is not', null)
    .execute()
}

/** Threads can be gone: what they wrote counts all the same. */
export async function createMemoryWriteTable(database: Kysely<never>): Promise<void> {
  await database.schema
    .createTable('memory_writes')
    .addColumn('turn_id', 'text', (column) => column.primaryKey())
    .addColumn('thread_id', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('bytes', 'bigint', (column) => column.notNull())
    .execute()
}

export async function createManifestTable(database: Kysely<never>): Promise<void> {
  await database.schema
    .createTable('turn_manifests')
    .addColumn('turn_id', 'text', (column) => column.primaryKey())
    .addColumn('thread_id', 'text', (column) => column.notNull().references('threads.id').onDelete('cascade'))
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('snapshot_id', 'text', (column) => column.notNull())
    .addColumn('json', 'text', (column) => column.notNull())
    .execute()
  await database.schema.createIndex('turn_manifests_idx').on('turn_manifests').columns(['snapshot_id']).execute()
  for (const name of ['then_json', 'present_json']) {
    await database.schema.alterTable('rewinds').addColumn(name, 'text').execute()
  }
}
