import type { Kysely } from 'kysely'
import type { StateTables } from './state.tables.ts'

/** Single values that the host has decided once and keeps. */
export type FactName = 'hostId' | 'networkPool' | 'currentImage' | 'sealingKey'
export type FactsStore = {
  find(name: FactName): Promise<string | undefined>
  set(name: FactName, value: string): Promise<void>
  /** Returns the value, which the first call makes and stores. */
  obtain(name: FactName, make: () => string | Promise<string>): Promise<string>
}

export function makeFactsStore(database: Kysely<StateTables>): FactsStore {
  const find = async (name: FactName) => {
    const row = await database.selectFrom('facts').select('value').where('name', '=', name).executeTakeFirst()
    return row?.value
  }
  const set = async (name: FactName, value: string) => {
    await database
      .insertInto('facts')
      .values({ name, value })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
      .execute()
  }
  return {
    find,
    set,
    obtain: async (name, make) => {
      const known = await find(name)
      if (known !== undefined) return known
      const made = await make()
      await set(name, made)
      return made
    },
  }
}
