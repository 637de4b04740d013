import { type Kysely, sql } from 'kysely'
import type { SnapshotsTable, StateTables } from './state.tables.ts'

export type SnapshotsStore = {
  find(snapshotId: string): Promise<SnapshotsTable | undefined>
  /** Those of one sandbox, oldest first, in every phase. */
  list(sandboxId: string): Promise<SnapshotsTable[]>
  /** Those that a crash left half made or half removed. */
  listUnfinished(): Promise<SnapshotsTable[]>
  /** What was written between all snapshots that are ready. */
  writtenBytes(): Promise<number>
  /** Announces a snapshot that is about to be made. */
  insert(snapshot: Pick<SnapshotsTable, 'snapshotId' | 'sandboxId' | 'at'>): Promise<void>
  finish(snapshot: { snapshotId: string; writtenBytes: number }): Promise<void>
  markRemoving(snapshotId: string): Promise<void>
  remove(snapshotId: string): Promise<void>
}

export function makeSnapshotsStore(database: Kysely<StateTables>): SnapshotsStore {
  const snapshots = () => database.selectFrom('snapshots').selectAll()
  const set = async (snapshotId: string, values: Partial<SnapshotsTable>) => {
    await database.updateTable('snapshots').set(values).where('snapshotId', '=', snapshotId).execute()
  }
  return {
    find: (snapshotId) => snapshots().where('snapshotId', '=', snapshotId).executeTakeFirst(),
    list: (sandboxId) => snapshots().where('sandboxId', '=', sandboxId).orderBy(sql`rowid`).execute(),
    listUnfinished: () => snapshots().where('phase', '<>', 'ready').execute(),
    writtenBytes: async () => {
      const sum = sql<number>`coalesce(sum(writtenBytes), 0)`.as('sum')
      return (
        (await database.selectFrom('snapshots').select(sum).where('phase', '=', 'ready').executeTakeFirst())?.sum ?? 0
      )
    },
    insert: async (snapshot) => {
      await database
        .insertInto('snapshots')
        .values({ ...snapshot, phase: 'making', writtenBytes: 0 })
        .execute()
    },
    finish: ({ snapshotId, writtenBytes }) => set(snapshotId, { phase: 'ready', writtenBytes }),
    markRemoving: (snapshotId) => set(snapshotId, { phase: 'removing' }),
    remove: async (snapshotId) => {
      await database.deleteFrom('snapshots').where('snapshotId', '=', snapshotId).execute()
    },
  }
}
