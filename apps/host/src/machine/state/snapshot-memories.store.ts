import type { Kysely } from 'kysely'
import type { SnapshotMemoriesTable, StateTables } from './state.tables.ts'

/** Memory that is kept with snapshots. */
export type SnapshotMemoriesStore = {
  find(snapshotId: string): Promise<SnapshotMemoriesTable | undefined>
  list(): Promise<SnapshotMemoriesTable[]>
  /** Announces memory that is about to be saved. */
  insert(memory: Omit<SnapshotMemoriesTable, 'phase' | 'bytes'>): Promise<void>
  finish(memory: { snapshotId: string; bytes: number }): Promise<void>
  markRemoving(snapshotId: string): Promise<void>
  remove(snapshotId: string): Promise<void>
}

export function makeSnapshotMemoriesStore(database: Kysely<StateTables>): SnapshotMemoriesStore {
  const memories = () => database.selectFrom('snapshot_memories').selectAll()
  const set = async (snapshotId: string, values: Partial<SnapshotMemoriesTable>) => {
    await database.updateTable('snapshot_memories').set(values).where('snapshotId', '=', snapshotId).execute()
  }
  return {
    find: (snapshotId) => memories().where('snapshotId', '=', snapshotId).executeTakeFirst(),
    list: () => memories().execute(),
    insert: async (memory) => {
      await database
        .insertInto('snapshot_memories')
        .values({ ...memory, phase: 'saving', bytes: 0 })
        .execute()
    },
    finish: ({ snapshotId, bytes }) => set(snapshotId, { phase: 'ready', bytes }),
    markRemoving: (snapshotId) => set(snapshotId, { phase: 'removing', bytes: 0 }),
    remove: async (snapshotId) => {
      await database.deleteFrom('snapshot_memories').where('snapshotId', '=', snapshotId).execute()
    },
  }
}
