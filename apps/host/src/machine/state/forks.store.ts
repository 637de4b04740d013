import type { Kysely } from 'kysely'
import type { ForksTable, StateTables } from './state.tables.ts'

/** Forks that are being made. */
export type ForksStore = {
  find(sandboxId: string): Promise<ForksTable | undefined>
  list(): Promise<ForksTable[]>
  remove(sandboxId: string): Promise<void>
  /** Its boot is ready, and it is no longer being made. */
  finish(fork: { sandboxId: string; bootId: string }): Promise<void>
}

export function makeForksStore(database: Kysely<StateTables>): ForksStore {
  const forks = () => database.selectFrom('forks').selectAll()
  return {
    find: (sandboxId) => forks().where('sandboxId', '=', sandboxId).executeTakeFirst(),
    list: () => forks().execute(),
    remove: async (sandboxId) => {
      await database.deleteFrom('forks').where('sandboxId', '=', sandboxId).execute()
    },
    finish: async ({ sandboxId, bootId }) => {
      await database.transaction().execute(async (transaction) => {
        await transaction.updateTable('boots').set({ state: 'ready' }).where('bootId', '=', bootId).execute()
        await transaction.deleteFrom('forks').where('sandboxId', '=', sandboxId).execute()
      })
    },
  }
}
