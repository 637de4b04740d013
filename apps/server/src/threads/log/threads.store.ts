import type { Kysely } from 'kysely'
import type { LogTransaction } from './thread-log.ts'
import type { ThreadRow, ThreadTables } from './threads.table.ts'
import { makeThreadsInWorkspaceStore, type ThreadsInWorkspaceStore } from './threads-in-workspace.store.ts'

export type ThreadCursor = { isPinned: number; updatedAt: number; id: string }

export type ThreadSlice = { after: ThreadCursor | null; limit: number; within: readonly string[] | null }
export type ThreadPlace = Pick<ThreadRow, 'id' | 'workspace_id' | 'started_from_json'>
type OwnedPlace = ThreadPlace & Pick<ThreadRow, 'user_id'>

/** The only code that touches `threads`, beside the log, which assigns its event numbers. */
export type ThreadStore = ThreadsInWorkspaceStore & {
  insert(row: ThreadRow): Promise<void>
  /** Finds a thread of any owner, also a deleted one until its undo time is over. */
  findAny(threadId: string): Promise<ThreadRow | undefined>
  /** Pinned first, then the newest; without deleted ones. `within`: only those in these workspaces. */
  list(userId: string, page: ThreadSlice): Promise<ThreadRow[]>
  update(threadId: string, columns: Partial<ThreadRow>): Promise<void>
  /** Sets the title unless a user has set one. `alongside` is part of the same commit. */
  setAutomaticTitle(
    threadId: string,
    title: string,
    alongside: (transaction: LogTransaction) => Promise<void>,
  ): Promise<boolean>
  /** Marks everything recorded as read. */
  markRead(threadId: string): Promise<void>
  /** Threads that are marked as deleted. */
  deletedIds(): Promise<string[]>
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
    list: (userId, page) => list(database, userId, page),
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
    markRead: async (threadId) => {
      await database
        .updateTable('threads')
        .set((builder) => ({ read_seq: builder.ref('last_seq') }))
        .where('id', '=', threadId)
        .execute()
    },
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
        .select(['id', 'user_id', 'workspace_id', 'started_from_json'])
        .$if(threadIds !== 'all', (query) => query.where('id', 'in', threadIds === 'all' ? [] : [...threadIds]))
        .execute()
      return new Map(rows.map((row) => [row.id, row]))
    },
    erase: async (threadId) => {
      await database.deleteFrom('threads').where('id', '=', threadId).execute()
    },
  }
}

async function list(database: Kysely<ThreadTables>, userId: string, page: ThreadSlice): Promise<ThreadRow[]> {
  const { after, within } = page
  if (within?.length === 0) return []
  return await database
    .selectFrom('threads')
    .selectAll()
    .where('user_id', '=', userId)
    .where('deleted_at', 'is', null)
    .$if(within !== null, (query) => query.where('workspace_id', 'in', within ?? []))
    .$if(after !== null, (query) =>
      query.where((builder) =>
        builder.or([
          builder('is_pinned', '<', after?.isPinned ?? 0),
          builder.and([
            builder('is_pinned', '=', after?.isPinned ?? 0),
            builder.or([
              builder('updated_at', '<', after?.updatedAt ?? 0),
              builder.and([builder('updated_at', '=', after?.updatedAt ?? 0), builder('id', '<', after?.id ?? '')]),
            ]),
          ]),
        ]),
      ),
    )
    .orderBy('is_pinned', 'desc')
    .orderBy('updated_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit)
    .execute()
}
