import type { Kysely } from 'kysely'
import { idsOf } from './setup-ids.ts'
import type { ThreadSetupRow, ThreadSetupTables } from './thread-setups.table.ts'

/** What a thread started from an agent has of that agent. */
export type ThreadSetup = {
  instructions: string
  /** Null: all skills that the thread has without an agent. */
  skillIds: string[] | null
  connectionIds: string[] | null
}

/** The only code that touches `thread_setups`. */
export type ThreadSetupStore = {
  /** Undefined for a thread that wasn't started from an agent. */
  find(threadId: string): Promise<ThreadSetup | undefined>
  /** Inserting the same row again changes nothing. */
  insertIfMissing(row: ThreadSetupRow): Promise<void>
  /** Copies the setup of a thread to its copy. */
  copy(fromThreadId: string, toThreadId: string): Promise<void>
}

export function makeThreadSetupStore(database: Kysely<ThreadSetupTables>): ThreadSetupStore {
  const find = (threadId: string) =>
    database.selectFrom('thread_setups').selectAll().where('thread_id', '=', threadId).executeTakeFirst()
  const insertIfMissing = async (row: ThreadSetupRow) => {
    await database
      .insertInto('thread_setups')
      .values(row)
      .onConflict((conflict) => conflict.column('thread_id').doNothing())
      .execute()
  }
  return {
    find: async (threadId) => {
      const row = await find(threadId)
      if (row === undefined) return undefined
      const { instructions, skill_ids_json, connection_ids_json } = row
      return { instructions, skillIds: idsOf(skill_ids_json), connectionIds: idsOf(connection_ids_json) }
    },
    insertIfMissing,
    copy: async (fromThreadId, toThreadId) => {
      const row = await find(fromThreadId)
      if (row !== undefined) await insertIfMissing({ ...row, thread_id: toThreadId })
    },
  }
}
