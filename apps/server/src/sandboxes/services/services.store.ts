import type { Kysely } from 'kysely'
import type { ServiceRow, ServiceTables } from './services.table.ts'

export type ServiceChange = Partial<Pick<ServiceRow, 'boot_id' | 'state' | 'since' | 'problem_json'>>

/** The only code that touches `services`. */
export type ServiceStore = {
  /** In the order of their starts. */
  list(threadId: string): Promise<ServiceRow[]>
  /** Names of these threads’ services, by thread. */
  names(threadIds: readonly string[]): Promise<Map<string, string[]>>
  find(threadId: string, name: string): Promise<ServiceRow | undefined>
  /** Stores the row as the newest of its thread; replaces one of the same name. */
  put(row: Omit<ServiceRow, 'position'>): Promise<ServiceRow>
  /** Changes the start that `row` names; false if the service has been started again since. */
  change(row: Pick<ServiceRow, 'thread_id' | 'name' | 'key'>, change: ServiceChange): Promise<boolean>
  remove(threadId: string, name: string): Promise<void>
}

export function makeServiceStore(database: Kysely<ServiceTables>): ServiceStore {
  const inThread = (threadId: string) =>
    database.selectFrom('services').selectAll().where('thread_id', '=', threadId).orderBy('position')
  return {
    list: (threadId) => inThread(threadId).execute(),
    names: (threadIds) => names(database, threadIds),
    find: (threadId, name) => inThread(threadId).where('name', '=', name).executeTakeFirst(),
    put: async (row) => {
      const last = await database
        .selectFrom('services')
        .select((builder) => builder.fn.max('position').as('position'))
        .where('thread_id', '=', row.thread_id)
        .executeTakeFirst()
      const placed = { ...row, position: Number(last?.position ?? 0) + 1 }
      const { thread_id: _thread, name: _name, ...columns } = placed
      await database
        .insertInto('services')
        .values(placed)
        .onConflict((conflict) => conflict.columns(['thread_id', 'name']).doUpdateSet(columns))
        .execute()
      return placed
    },
    change: async (row, change) => {
      const result = await database
        .updateTable('services')
        .set(change)
        .where('thread_id', '=', row.thread_id)
        .where('name', '=', row.name)
        .where('key', '=', row.key)
        .executeTakeFirst()
      return result.numUpdatedRows > 0n
    },
    remove: async (threadId, name) => {
      await database.deleteFrom('services').where('thread_id', '=', threadId).where('name', '=', name).execute()
    },
  }
}

async function names(database: Kysely<ServiceTables>, threadIds: readonly string[]): Promise<Map<string, string[]>> {
  if (threadIds.length === 0) return new Map()
  const rows = await database
    .selectFrom('services')
    .select(['thread_id', 'name'])
    .where('thread_id', 'in', [...threadIds])
    .orderBy('position')
    .execute()
  const byThread = Map.groupBy(rows, (row) => row.thread_id)
  return new Map([...byThread].map(([threadId, ofThread]) => [threadId, ofThread.map((row) => row.name)]))
}
