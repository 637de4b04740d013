import type { Kysely } from 'kysely'
import type { PausePointsTable, StateTables } from './state.tables.ts'

export type PausePointsStore = {
  find(sandboxId: string): Promise<PausePointsTable | undefined>
  set(point: PausePointsTable): Promise<void>
  remove(sandboxId: string): Promise<void>
}

export function makePausePointsStore(database: Kysely<StateTables>): PausePointsStore {
  return {
    find: (sandboxId) =>
      database.selectFrom('pause_points').selectAll().where('sandboxId', '=', sandboxId).executeTakeFirst(),
    set: async (point) => {
      await database
        .insertInto('pause_points')
        .values(point)
        .onConflict((conflict) => conflict.column('sandboxId').doUpdateSet(point))
        .execute()
    },
    remove: async (sandboxId) => {
      await database.deleteFrom('pause_points').where('sandboxId', '=', sandboxId).execute()
    },
  }
}
