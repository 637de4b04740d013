import type { Kysely } from 'kysely'
import type { TerminalRow, TerminalTables } from './terminals.table.ts'

/** The only code that touches `terminals`. */
export type TerminalStore = {
  /** In the order in which they were opened. */
  list(threadId: string): Promise<TerminalRow[]>
  find(threadId: string, id: string): Promise<TerminalRow | undefined>
  add(row: TerminalRow): Promise<void>
  change(
    row: Pick<TerminalRow, 'thread_id' | 'id'>,
    change: Partial<Pick<TerminalRow, 'title' | 'exit_code'>>,
  ): Promise<void>
  remove(threadId: string, id: string): Promise<void>
}

export function makeTerminalStore(database: Kysely<TerminalTables>): TerminalStore {
  const inThread = (threadId: string) =>
    database.selectFrom('terminals').selectAll().where('thread_id', '=', threadId).orderBy('created_at').orderBy('id')
  return {
    list: (threadId) => inThread(threadId).execute(),
    find: (threadId, id) => inThread(threadId).where('id', '=', id).executeTakeFirst(),
    add: async (row) => {
      await database.insertInto('terminals').values(row).execute()
    },
    change: async ({ thread_id, id }, change) => {
      await database
        .updateTable('terminals')
        .set(change)
        .where('thread_id', '=', thread_id)
        .where('id', '=', id)
        .execute()
    },
    remove: async (threadId, id) => {
      await database.deleteFrom('terminals').where('thread_id', '=', threadId).where('id', '=', id).execute()
    },
  }
}
