import type { Kysely } from 'kysely'
import type { StateTables, VirtualNamesTable } from './state.tables.ts'

/** The addresses that stand for names. An address keeps its name until it gets another one. */
export type VirtualNamesStore = {
  find(name: string): Promise<VirtualNamesTable | undefined>
  list(): Promise<VirtualNamesTable[]>
  count(which: { isListed: 0 | 1 } | 'all'): Promise<number>
  insert(row: VirtualNamesTable): Promise<void>
  /** The one that was used longest ago, if that was before this time. */
  findUnused(options: { before: number; isListed?: 0 | 1 }): Promise<VirtualNamesTable | undefined>
  change(address: string, values: Partial<VirtualNamesTable>): Promise<void>
  /** One commit for all that `work` does. */
  together<Result>(work: (store: VirtualNamesStore) => Promise<Result>): Promise<Result>
}

export function makeVirtualNamesStore(database: Kysely<StateTables>): VirtualNamesStore {
  const all = () => database.selectFrom('virtual_names').selectAll()
  return {
    find: (name) => all().where('name', '=', name).executeTakeFirst(),
    list: () => all().execute(),
    count: async (which) => {
      const counted = database.selectFrom('virtual_names').select(({ fn }) => fn.countAll<number>().as('rows'))
      const wanted = which === 'all' ? counted : counted.where('isListed', '=', which.isListed)
      return Number((await wanted.executeTakeFirst())?.rows ?? 0)
    },
    insert: async (row) => void (await database.insertInto('virtual_names').values(row).execute()),
    findUnused: async ({ before, isListed }) => {
      const unused = all().where('usedAt', '<', before).orderBy('usedAt')
      return await (isListed === undefined ? unused : unused.where('isListed', '=', isListed)).executeTakeFirst()
    },
    change: async (address, values) => {
      await database.updateTable('virtual_names').set(values).where('address', '=', address).execute()
    },
    together: (work) => database.transaction().execute((transaction) => work(makeVirtualNamesStore(transaction))),
  }
}
