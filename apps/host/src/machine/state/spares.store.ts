import type { Kysely } from 'kysely'
import type { SparesTable, StateTables } from './state.tables.ts'

export type SparesStore = {
  list(): Promise<SparesTable[]>
  insert(spare: SparesTable): Promise<void>
  remove(allocationId: string): Promise<void>
}

export function makeSparesStore(database: Kysely<StateTables>): SparesStore {
  return {
    list: () => database.selectFrom('spares').selectAll().orderBy('createdAt').execute(),
    insert: async (spare) => {
      await database.insertInto('spares').values(spare).execute()
    },
    remove: async (allocationId) => {
      await database.deleteFrom('spares').where('placeId', '=', allocationId).execute()
    },
  }
}
