import { type Kysely, sql, type Transaction } from 'kysely'
import type { LogTransaction } from '../../threads/public.ts'
import type { RewindRow, RewindTables } from './rewinds.table.ts'

/** The only code that accesses `rewinds`. */
export type RewindStore = {
  insert(row: Omit<RewindRow, 'position'>): Promise<void>
  newest(threadId: string): Promise<RewindRow | undefined>
  find(threadId: string, id: string): Promise<RewindRow | undefined>
  /** The rewinds that are in progress or being undone, in any thread. */
  unfinished(): Promise<RewindRow[]>
  change(id: string, change: Partial<RewindRow>, transaction?: LogTransaction): Promise<void>
  remove(id: string, transaction?: LogTransaction): Promise<void>
}

export function makeRewindStore(database: Kysely<RewindTables>): RewindStore {
  const rows = () => database.selectFrom('rewinds').selectAll()
  const within = (transaction: LogTransaction | undefined) =>
    transaction === undefined ? database : (transaction as unknown as Transaction<RewindTables>)
  return {
    insert: async (row) => {
      const position = sql<number>`(select coalesce(max(position), 0) + 1 from ${sql.table('rewinds')})`
      await database
        .insertInto('rewinds')
        .values({ ...row, position })
        .execute()
    },
    newest: (threadId) =>
      rows().where('thread_id', '=', threadId).orderBy('position', 'desc').limit(1).executeTakeFirst(),
    find: (threadId, id) => rows().where('thread_id', '=', threadId).where('id', '=', id).executeTakeFirst(),
    unfinished: () => rows().where('state', '!=', 'done').orderBy('position').execute(),
    change: async (id, change, transaction) => {
      await within(transaction).updateTable('rewinds').set(change).where('id', '=', id).execute()
    },
    remove: async (id, transaction) => {
      await within(transaction).deleteFrom('rewinds').where('id', '=', id).execute()
    },
  }
}
