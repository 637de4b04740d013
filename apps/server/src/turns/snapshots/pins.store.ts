import type { Kysely } from 'kysely'
import type { SnapshotTables, TurnSnapshotRow } from './snapshots.table.ts'

/** Turns that a person pinned. */
export type PinStore = {
  /** Pins a turn, or removes its pin (null). */
  setPin(turn: Pick<TurnSnapshotRow, 'thread_id' | 'turn_id'>, at: number | null): Promise<void>
  /** Ids of snapshots of pinned turns, of all threads. Some may be gone. */
  pinnedSnapshots(): Promise<Set<string>>
  /** Removes the pins of the thread’s other turns. */
  keepPinsOf(threadId: string, turnIds: readonly string[]): Promise<void>
}

export function makePinStore(database: Kysely<SnapshotTables>): PinStore {
  const pinned = () => database.selectFrom('turn_snapshots').where('pinned_at', 'is not', null)
  const setPin: PinStore['setPin'] = async ({ thread_id, turn_id }, at) => {
    await database
      .updateTable('turn_snapshots')
      .set({ pinned_at: at })
      .where('thread_id', '=', thread_id)
      .where('turn_id', '=', turn_id)
      .execute()
  }
  return {
    setPin,
    pinnedSnapshots: async () =>
      new Set((await pinned().select('snapshot_id').execute()).map((row) => row.snapshot_id)),
    keepPinsOf: async (threadId, turnIds) => {
      const rows = await pinned().select(['thread_id', 'turn_id']).where('thread_id', '=', threadId).execute()
      for (const row of rows) if (!turnIds.includes(row.turn_id)) await setPin(row, null)
    },
  }
}
