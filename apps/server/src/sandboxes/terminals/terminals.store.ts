import type { Kysely } from 'kysely'
import { makeCredentialCheck } from '../../people/users/credential-check.store.ts'
import type { UserTables } from '../../people/users/users.table.ts'
import type { Caller } from '../../platform/http/api.ts'
import type { ThreadTables } from '../../threads/log/threads.table.ts'
import type { TerminalRow, TerminalTables } from './terminals.table.ts'

/** Who looks at a terminal, as it was found out when the view was opened. */
export type Viewer = Caller & { threadId: string }

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
  /** Whether login or key still hold, and the thread is there and still this person's. */
  maySee(viewer: Viewer, now: number): Promise<boolean>
}

/** Views are judged together with what they depend on, which other features keep. */
type Tables = TerminalTables & Pick<UserTables, 'sessions' | 'api_keys'> & Pick<ThreadTables, 'threads'>

export function makeTerminalStore(database: Kysely<Tables>): TerminalStore {
  const inThread = (threadId: string) =>
    database.selectFrom('terminals').selectAll().where('thread_id', '=', threadId).orderBy('created_at').orderBy('id')
  const holds = makeCredentialCheck(database)
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
    maySee: async (viewer, now) => {
      const thread = await database
        .selectFrom('threads')
        .select('id')
        .where('id', '=', viewer.threadId)
        .where('user_id', '=', viewer.userId)
        .where('deleted_at', 'is', null)
        .executeTakeFirst()
      return thread !== undefined && (await holds(viewer, now))
    },
  }
}
