import type { Kysely } from 'kysely'
import type { RewindsTable, StateTables } from './state.tables.ts'

/** The last rewind of each sandbox. */
export type RewindsStore = {
  find(sandboxId: string): Promise<RewindsTable | undefined>
  /** Records a pending rewind, until `finish` or `remove`. Replaces the record of the previous one. */
  begin(rewind: Omit<RewindsTable, 'phase' | 'problem'>): Promise<void>
  /** `problem`: why the snapshot's memory was not restored. */
  finish(sandboxId: string, problem: string): Promise<void>
  remove(sandboxId: string): Promise<void>
}

export function makeRewindsStore(database: Kysely<StateTables>): RewindsStore {
  return {
    find: (sandboxId) =>
      database.selectFrom('rewinds').selectAll().where('sandboxId', '=', sandboxId).executeTakeFirst(),
    begin: async (rewind) => {
      const { sandboxId: _, ...columns } = { ...rewind, phase: 'begun' as const, problem: '' }
      await database
        .insertInto('rewinds')
        .values({ ...rewind, ...columns })
        .onConflict((conflict) => conflict.column('sandboxId').doUpdateSet(columns))
        .execute()
    },
    finish: async (sandboxId, problem) => {
      const done = { phase: 'done' as const, problem }
      await database.updateTable('rewinds').set(done).where('sandboxId', '=', sandboxId).execute()
    },
    remove: async (sandboxId) => {
      await database.deleteFrom('rewinds').where('sandboxId', '=', sandboxId).execute()
    },
  }
}
