import type { Operations } from '../../platform/operations/operations.ts'
import type { ThreadStore } from '../log/threads.store.ts'
import type { ThreadRow } from '../log/threads.table.ts'
import { deleteThreadOperation } from './threads.usecases.ts'

/** Operations on all threads of a workspace. The caller checks permissions. */
export type WorkspaceThreads = {
  /** Number of threads that this user can see, by workspace, without deleted ones. */
  counts(workspaceIds: readonly string[], userId: string): Promise<Map<string, number>>
  /** Ids of the threads, without deleted ones. */
  ids(workspaceId: string): Promise<string[]>
  /** The most recently used threads. */
  latest(workspaceId: string, limit: number): Promise<Pick<ThreadRow, 'id' | 'title' | 'user_id' | 'is_private'>[]>
  /** Marks all of them as deleted, which removes them from every list. Returns those in which a turn runs. */
  markDeleted(workspaceId: string, at: number): Promise<string[]>
  /** Restores those that were marked as deleted at this time. */
  unmarkDeleted(workspaceId: string, at: number): Promise<void>
  deletedIds(workspaceId: string): Promise<string[]>
  /** See the store. */
  closeTo(workspaceId: string, userId: string): Promise<string[]>
  /** Plans the permanent deletion of a deleted thread, with everything that is stored of it. */
  planRemoval(threadId: string, dueAt: number): Promise<void>
}

export function makeWorkspaceThreads(options: { store: ThreadStore; operations: Operations }): WorkspaceThreads {
  const { store, operations } = options
  return {
    counts: store.countsIn,
    ids: (workspaceId) => store.idsIn(workspaceId, { areDeleted: false }),
    latest: (workspaceId, limit) => store.latestIn(workspaceId, limit),
    markDeleted: (workspaceId, at) => store.markDeletedIn(workspaceId, at),
    unmarkDeleted: (workspaceId, at) => store.unmarkDeletedIn(workspaceId, at),
    deletedIds: (workspaceId) => store.idsIn(workspaceId, { areDeleted: true }),
    closeTo: store.closeTo,
    planRemoval: (threadId, dueAt) => operations.plan({ kind: deleteThreadOperation, subjectId: threadId, dueAt }),
  }
}
