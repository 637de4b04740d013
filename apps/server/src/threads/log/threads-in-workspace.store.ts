import type { Kysely } from 'kysely'
import { markDeleted } from './mark-deleted.ts'
import type { ThreadRow, ThreadTables } from './threads.table.ts'

/** The part of the thread store for all threads of a workspace. */
export type ThreadsInWorkspaceStore = {
  /** Of the threads that this user can see. */
  countsIn(workspaceIds: readonly string[], userId: string): Promise<Map<string, number>>
  idsIn(workspaceId: string, which: { areDeleted: boolean }): Promise<string[]>
  latestIn(workspaceId: string, limit: number): Promise<Pick<ThreadRow, 'id' | 'title' | 'user_id' | 'is_private'>[]>
  /** Returns the threads in which a turn runs. */
  markDeletedIn(workspaceId: string, at: number): Promise<string[]>
  unmarkDeletedIn(workspaceId: string, at: number): Promise<void>
  /**
   * Before a person can no longer work in the workspace: their private threads become theirs outside of it, and what is a
   * creator’s own stays unusable in all others, until the creator allows it again. Returns what left.
   */
  closeTo(workspaceId: string, userId: string): Promise<string[]>
  /** The workspaces of these threads, limited to the given workspaces, by thread. */
  workspacesOf(threadIds: readonly string[] | 'all', workspaceIds: readonly string[]): Promise<Map<string, string>>
}

export function makeThreadsInWorkspaceStore(database: Kysely<ThreadTables>): ThreadsInWorkspaceStore {
  const kept = (workspaceId: string) =>
    database.selectFrom('threads').where('workspace_id', '=', workspaceId).where('deleted_at', 'is', null)
  return {
    countsIn: (workspaceIds, userId) => countsIn(database, { workspaceIds, userId }),
    idsIn: async (workspaceId, { areDeleted }) => {
      const rows = await database
        .selectFrom('threads')
        .select('id')
        .where('workspace_id', '=', workspaceId)
        .where('deleted_at', areDeleted ? 'is not' : 'is', null)
        .execute()
      return rows.map((row) => row.id)
    },
    latestIn: (workspaceId, limit) =>
      kept(workspaceId)
        .select(['id', 'title', 'user_id', 'is_private'])
        .orderBy('updated_at', 'desc')
        .orderBy('id')
        .limit(limit)
        .execute(),
    markDeletedIn: async (workspaceId, at) => {
      const running = await kept(workspaceId).select('id').where('running_turn_id', 'is not', null).execute()
      await markDeleted(database, at).where('workspace_id', '=', workspaceId).execute()
      return running.map((row) => row.id)
    },
    unmarkDeletedIn: async (workspaceId, at) => {
      await database
        .updateTable('threads')
        .set({ deleted_at: null })
        .where('workspace_id', '=', workspaceId)
        .where('deleted_at', '=', at)
        .execute()
    },
    closeTo: (workspaceId, userId) =>
      database.transaction().execute(async (transaction) => {
        const left = await transaction
          .updateTable('threads')
          .set({ workspace_id: null, is_private: 0 })
          .where('workspace_id', '=', workspaceId)
          .where('user_id', '=', userId)
          .where('is_private', '=', 1)
          .returning('id')
          .execute()
        await transaction
          .updateTable('threads')
          .set({ is_personal_off: 1 })
          .where('workspace_id', '=', workspaceId)
          .where('is_private', '=', 0)
          .execute()
        return left.map((row) => row.id)
      }),
    workspacesOf: async (threadIds, workspaceIds) => {
      if (threadIds.length === 0 || workspaceIds.length === 0) return new Map()
      const rows = await database
        .selectFrom('threads')
        .select(['id', 'workspace_id'])
        .where('workspace_id', 'in', [...workspaceIds])
        .$if(threadIds !== 'all', (query) => query.where('id', 'in', threadIds === 'all' ? [] : [...threadIds]))
        .execute()
      return new Map(rows.flatMap((row) => (row.workspace_id === null ? [] : [[row.id, row.workspace_id] as const])))
    },
  }
}

async function countsIn(
  database: Kysely<ThreadTables>,
  { workspaceIds, userId }: { workspaceIds: readonly string[]; userId: string },
): Promise<Map<string, number>> {
  if (workspaceIds.length === 0) return new Map()
  const rows = await database
    .selectFrom('threads')
    .select((builder) => ['workspace_id', builder.fn.countAll().as('count')])
    .where('workspace_id', 'in', [...workspaceIds])
    .where('deleted_at', 'is', null)
    .where((where) => where.or([where('is_private', '=', 0), where('user_id', '=', userId)]))
    .groupBy('workspace_id')
    .execute()
  return new Map(rows.map((row) => [row.workspace_id ?? '', Number(row.count)]))
}
