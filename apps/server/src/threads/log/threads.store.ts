import type { Kysely } from 'kysely'
import type { LogTransaction } from './thread-log.ts'
import { makeThreadViewStore, type ThreadViewStore } from './thread-views.store.ts'
import type { ThreadRow, ThreadTables } from './threads.table.ts'
import { makeThreadsInWorkspaceStore, type ThreadsInWorkspaceStore } from './threads-in-workspace.store.ts'

export type ThreadPlace = Pick<ThreadRow, 'id' | 'workspace_id' | 'started_from_json'>
type OwnedPlace = ThreadPlace & Pick<ThreadRow, 'user_id' | 'is_private' | 'is_personal_off'>

/** The only code that touches `threads`, beside the log, which assigns its event numbers. */
export type ThreadStore = ThreadsInWorkspaceStore & {
  views: ThreadViewStore
  insert(row: ThreadRow): Promise<void>
  /** Finds a thread of any owner, also a deleted one until its undo time is over. */
  findAny(threadId: string): Promise<ThreadRow | undefined>
  update(threadId: string, columns: Partial<ThreadRow>): Promise<void>
  /** Sets the title unless a user has set one. `alongside` is part of the same commit. */
  setAutomaticTitle(
    threadId: string,
    title: string,
    alongside: (transaction: LogTransaction) => Promise<void>,
  ): Promise<boolean>
  /** Threads that are marked as deleted. */
  deletedIds(): Promise<string[]>
  creators(): Promise<ReadonlyMap<string, string>>
  /** The running turn, otherwise the last one. */
  lastTurnId(threadId: string): Promise<string | undefined>
  /** What these threads inherit from, by ID. */
  placesOf(threadIds: readonly string[] | 'all'): Promise<Map<string, OwnedPlace>>
  /** Deletes the rows of the thread, of its log and its search documents. */
  erase(threadId: string): Promise<void>
}

export function makeThreadStore(database: Kysely<ThreadTables>): ThreadStore {
  return {
    insert: async (row) => {
      await database.insertInto('threads').values(row).execute()
    },
    ...makeThreadsInWorkspaceStore(database),
    findAny: (threadId) => database.selectFrom('threads').selectAll().where('id', '=', threadId).executeTakeFirst(),
    creators: async () => {
      const rows = await database.selectFrom('threads').select(['id', 'user_id']).execute()
      return new Map(rows.map((row) => [row.id, row.user_id]))
    },
    views: makeThreadViewStore(database),
    update: async (threadId, columns) => {
      await database.updateTable('threads').set(columns).where('id', '=', threadId).execute()
    },
    setAutomaticTitle: (threadId, title, alongside) =>
      database.transaction().execute(async (transaction) => {
        const result = await transaction
          .updateTable('threads')
          .set({ title, title_source: 'automatic' })
          .where('id', '=', threadId)
          .where('title_source', '!=', 'person')
          .executeTakeFirst()
        const isSet = Number(result.numUpdatedRows) > 0
        if (isSet) await alongside(transaction as unknown as LogTransaction)
        return isSet
      }),
    deletedIds: async () => {
      const rows = await database.selectFrom('threads').select('id').where('deleted_at', 'is not', null).execute()
      return rows.map((row) => row.id)
    },
    lastTurnId: async (threadId) => {
      const row = await database
        .selectFrom('thread_turns')
        .select('id')
        .where('thread_id', '=', threadId)
        .orderBy('position', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row?.id
    },
    placesOf: async (threadIds) => {
      const rows = await database
        .selectFrom('threads')
        .select(['id', 'user_id', 'workspace_id', 'started_from_json', 'is_private', 'is_personal_off'])
        .$if(threadIds !== 'all', (query) => query.where('id', 'in', threadIds === 'all' ? [] : [...threadIds]))
        .execute()
      return new Map(rows.map((row) => [row.id, row]))
    },
    erase: async (threadId) => {
      await database.deleteFrom('threads').where('id', '=', threadId).execute()
    },
  }
}
