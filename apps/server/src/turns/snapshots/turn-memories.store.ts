import type { Kysely } from 'kysely'
import { deleteSnapshot, insertSnapshot, type TurnSnapshotKey } from './snapshots.store.ts'
import { memoryStates, type SnapshotRow, type SnapshotTables, type TurnSnapshotRow } from './snapshots.table.ts'

/** What is recorded of a turn’s memory, which is saved after its files. */
export type TurnMemoryStore = {
  /** Records the id of a second snapshot before it is ordered. */
  announceOther(turn: TurnSnapshotKey, otherId: string): Promise<void>
  /**
   * Records the host's snapshot in place of the turn's, for it and each later turn that shares that one. Unless earlier
   * turns share it, it is then to be removed: returns its id.
   */
  replaced(
    turn: TurnSnapshotRow,
    snapshot: Omit<SnapshotRow, 'position'>,
    known: Pick<TurnSnapshotRow, 'memory_problem'>,
  ): Promise<string | null>
  /** Deletes the record of a second snapshot; null: there is none. */
  otherRemoved(turn: TurnSnapshotKey, otherId: string | null): Promise<void>
  /** Records why the turn's snapshot stays without memory, unless that is recorded. */
  settleMemory(turn: TurnSnapshotKey, problem: string | null): Promise<void>
  /**
   * The turn whose memory is still to be saved with the snapshot of this turn, if a turn is pinned that has this snapshot:
   * one that made no call shares the previous one’s.
   */
  pinnedUnsaved(turnId: string): Promise<TurnSnapshotRow | undefined>
  /** Turns whose memory is still to be saved, or that have a second snapshot; oldest first. */
  unfinished(): Promise<TurnSnapshotRow[]>
}

export function makeTurnMemoryStore(database: Kysely<SnapshotTables>): TurnMemoryStore {
  return {
    announceOther: async (turn, otherId) => {
      await database
        .updateTable('turn_snapshots')
        .set({ other_snapshot_id: otherId })
        .where('turn_id', '=', turn.turn_id)
        .execute()
    },
    replaced: (...replaced) => insertReplacing(database, ...replaced),
    otherRemoved: async ({ turn_id }, otherId) => {
      await database.transaction().execute(async (transaction) => {
        if (otherId !== null) await deleteSnapshot(transaction, otherId)
        await transaction
          .updateTable('turn_snapshots')
          .set({ other_snapshot_id: null })
          .where('turn_id', '=', turn_id)
          .execute()
      })
    },
    settleMemory: async ({ turn_id, snapshot_id }, problem) => {
      await database
        .updateTable('turn_snapshots')
        .set({ memory_problem: problem })
        .where('turn_id', '=', turn_id)
        .where('snapshot_id', '=', snapshot_id)
        .where('memory_problem', '=', memoryStates.notYet)
        .execute()
    },
    pinnedUnsaved: async (turnId) => {
      const rows = await database
        .selectFrom('turn_snapshots')
        .selectAll()
        .where('snapshot_id', 'in', (query) =>
          query.selectFrom('turn_snapshots').select('snapshot_id').where('turn_id', '=', turnId),
        )
        .orderBy('position')
        .execute()
      const isPinned = rows.some(({ pinned_at }) => pinned_at !== null)
      return isPinned ? rows.findLast(({ memory_problem }) => memory_problem === memoryStates.notYet) : undefined
    },
    unfinished: () =>
      database
        .selectFrom('turn_snapshots')
        .selectAll()
        .orderBy('position')
        .where((row) =>
          row.or([row('memory_problem', '=', memoryStates.notYet), row('other_snapshot_id', 'is not', null)]),
        )
        .execute(),
  }
}

async function insertReplacing(
  database: Kysely<SnapshotTables>,
  ...[turn, snapshot, known]: Parameters<TurnMemoryStore['replaced']>
): Promise<string | null> {
  const { turn_id, position, snapshot_id: earlierId } = turn
  return await database.transaction().execute(async (transaction) => {
    const shared = await transaction
      .selectFrom('turn_snapshots')
      .select('turn_id')
      .where('snapshot_id', '=', earlierId)
      .where('position', '<', position)
      .executeTakeFirst()
    const earlier = await transaction
      .selectFrom('snapshots')
      .select('written_bytes')
      .where('id', '=', earlierId)
      .executeTakeFirst()
    // The host counts from the one that is replaced.
    const more = shared === undefined ? (earlier?.written_bytes ?? 0) : 0
    await insertSnapshot(transaction, { ...snapshot, written_bytes: snapshot.written_bytes + more })
    const moved = { snapshot_id: snapshot.id }
    for (const table of ['turn_snapshots', 'turn_manifests'] as const) {
      const rows = transaction.updateTable(table as 'turn_snapshots').set(moved)
      await rows.where('snapshot_id', '=', earlierId).where('position', '>=', position).execute()
    }
    const otherId = shared === undefined ? earlierId : null
    await transaction
      .updateTable('turn_snapshots')
      .set({ other_snapshot_id: otherId, ...known })
      .where('turn_id', '=', turn_id)
      .execute()
    return otherId
  })
}
