import { type Kysely, sql, type Transaction } from 'kysely'
import type { LogTransaction } from '../../threads/public.ts'
import { makePinStore, type PinStore } from './pins.store.ts'
import {
  memoryStates,
  type SnapshotRow,
  type SnapshotTables,
  type TurnManifestRow,
  type TurnSnapshotRow,
} from './snapshots.table.ts'

export type TurnSnapshotKey = Pick<TurnSnapshotRow, 'turn_id' | 'snapshot_id'>

/** The only code that touches `snapshots`, `turn_snapshots` and `turn_manifests`. */
export type SnapshotStore = PinStore & {
  /**
   * Records, with the end of a turn, that its snapshot is to be taken. A turn that ends a second time gets a new one.
   */
  want(
    row: Pick<TurnSnapshotRow, 'turn_id' | 'thread_id' | 'at' | 'snapshot_id'>,
    transaction: LogTransaction,
  ): Promise<void>
  /** Oldest first. */
  turns(threadId: string): Promise<TurnSnapshotRow[]>
  wanted(): Promise<TurnSnapshotRow[]>
  /** Records the host's snapshot, links the turn to it, and stores what ran, if that is known, in one transaction. */
  taken(
    turn: TurnSnapshotRow,
    snapshot: Omit<SnapshotRow, 'position'>,
    known: Pick<TurnSnapshotRow, 'memory_problem'> & { manifestJson: string | null },
  ): Promise<void>
  /** Stores what ran when the turn ended, for as long as its snapshot is kept. */
  keepManifest(turn: TurnSnapshotRow, snapshotId: string, json: string): Promise<void>
  /** The manifests stored with a snapshot, oldest first. */
  manifests(snapshotId: string): Promise<TurnManifestRow[]>
  /** Adds a snapshot that belongs to no turn. */
  add(snapshot: Omit<SnapshotRow, 'position'>): Promise<void>
  /** Changes the turn's record if its snapshot is still to be taken. */
  settle(turn: TurnSnapshotKey, change: Pick<TurnSnapshotRow, 'state' | 'problem'>): Promise<void>
  /** Deletes the turn's record: the turn has no disk to take a snapshot of. */
  forgetTurn(turn: TurnSnapshotKey): Promise<void>
  /** Snapshots of all threads, oldest first. */
  all(): Promise<SnapshotRow[]>
  find(threadId: string, id: string): Promise<SnapshotRow | undefined>
  /** Deletes the record of a snapshot, with the pins of its turns. */
  remove(id: string): Promise<void>
  /** Records that the memory was discarded; the snapshot stays. */
  removeMemory(id: string): Promise<void>
  /** Deletes the records of snapshots of the thread's earlier disks, which were deleted with those disks. */
  removeOthers(threadId: string, sandboxId: string): Promise<void>
}

export function makeSnapshotStore(database: Kysely<SnapshotTables>): SnapshotStore {
  const turnRows = () => database.selectFrom('turn_snapshots').selectAll().orderBy('position')
  const ofTurn = (turn: TurnSnapshotKey) =>
    database
      .updateTable('turn_snapshots')
      .where('turn_id', '=', turn.turn_id)
      .where('snapshot_id', '=', turn.snapshot_id)
      .where('state', '=', 'wanted')
  return {
    ...makePinStore(database),
    want: async (row, transaction) => {
      const { turn_id: _, ...columns } = {
        ...row,
        state: 'wanted' as const,
        problem: null,
        memory_problem: null,
        position: nextPosition('turn_snapshots'),
      }
      await (transaction as unknown as Transaction<SnapshotTables>)
        .insertInto('turn_snapshots')
        .values({ turn_id: row.turn_id, ...columns })
        .onConflict((conflict) => conflict.column('turn_id').doUpdateSet(columns))
        .execute()
    },
    turns: (threadId) => turnRows().where('thread_id', '=', threadId).execute(),
    wanted: () => turnRows().where('state', '=', 'wanted').execute(),
    add: (snapshot) => insertSnapshot(database, snapshot),
    taken: (...taken) => insertTaken(database, ...taken),
    keepManifest: (turn, snapshotId, json) => insertManifest(database, { turn, snapshotId, json }),
    manifests: (snapshotId) =>
      database
        .selectFrom('turn_manifests')
        .selectAll()
        .where('snapshot_id', '=', snapshotId)
        .orderBy('position')
        .execute(),
    settle: async (turn, change) => {
      await ofTurn(turn).set(change).execute()
    },
    forgetTurn: async (turn) => {
      await database
        .deleteFrom('turn_snapshots')
        .where('turn_id', '=', turn.turn_id)
        .where('snapshot_id', '=', turn.snapshot_id)
        .execute()
    },
    all: () => database.selectFrom('snapshots').selectAll().orderBy('position').execute(),
    find: (threadId, id) =>
      database
        .selectFrom('snapshots')
        .selectAll()
        .where('thread_id', '=', threadId)
        .where('id', '=', id)
        .executeTakeFirst(),
    remove: async (id) => {
      await database.transaction().execute(async (transaction) => {
        await deleteSnapshot(transaction, id)
        await transaction.updateTable('turn_snapshots').set({ pinned_at: null }).where('snapshot_id', '=', id).execute()
      })
    },
    removeMemory: async (id) => {
      await database.transaction().execute(async (transaction) => {
        await transaction.updateTable('snapshots').set({ memory_bytes: null }).where('id', '=', id).execute()
        await transaction
          .updateTable('turn_snapshots')
          .set({ memory_problem: memoryStates.removed })
          .where('snapshot_id', '=', id)
          .execute()
      })
    },
    removeOthers: async (threadId, sandboxId) => {
      const others = database
        .selectFrom('snapshots')
        .select('id')
        .where('thread_id', '=', threadId)
        .where('sandbox_id', '!=', sandboxId)
      await database.transaction().execute(async (transaction) => {
        await transaction.deleteFrom('turn_manifests').where('snapshot_id', 'in', others).execute()
        await transaction.deleteFrom('snapshots').where('id', 'in', others).execute()
      })
    },
  }
}

async function insertTaken(
  database: Kysely<SnapshotTables>,
  ...[turn, snapshot, { memory_problem, manifestJson }]: Parameters<SnapshotStore['taken']>
): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    await insertSnapshot(transaction, snapshot)
    await transaction
      .updateTable('turn_snapshots')
      .set({ state: 'taken', snapshot_id: snapshot.id, memory_problem })
      .where('turn_id', '=', turn.turn_id)
      .where('snapshot_id', '=', turn.snapshot_id)
      .execute()
    if (manifestJson !== null) await insertManifest(transaction, { turn, snapshotId: snapshot.id, json: manifestJson })
  })
}

async function insertManifest(
  database: Kysely<SnapshotTables>,
  { turn, snapshotId, json }: { turn: TurnSnapshotRow; snapshotId: string; json: string },
): Promise<void> {
  const { turn_id, thread_id, position } = turn
  const columns = { thread_id, position, snapshot_id: snapshotId, json }
  await database
    .insertInto('turn_manifests')
    .values({ turn_id, ...columns })
    .onConflict((conflict) => conflict.column('turn_id').doUpdateSet(columns))
    .execute()
}

export async function deleteSnapshot(transaction: Transaction<SnapshotTables>, id: string): Promise<void> {
  await transaction.deleteFrom('turn_manifests').where('snapshot_id', '=', id).execute()
  await transaction.deleteFrom('snapshots').where('id', '=', id).execute()
}

export async function insertSnapshot(
  database: Kysely<SnapshotTables>,
  snapshot: Omit<SnapshotRow, 'position'>,
): Promise<void> {
  await database
    .insertInto('snapshots')
    .values({ ...snapshot, position: nextPosition('snapshots') })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

function nextPosition(table: 'snapshots' | 'turn_snapshots') {
  return sql<number>`(select coalesce(max(position), 0) + 1 from ${sql.table(table)})`
}
