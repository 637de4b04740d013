import type { Operations } from '../../platform/operations/operations.ts'
import type { ThreadStore } from '../log/threads.store.ts'
import type { ThreadRow } from '../log/threads.table.ts'
import { deleteThreadOperation } from './threads.usecases.ts'

/** The threads of a workspace together. Who may do this is decided by who calls it. */
export type WorkspaceThreads = {
  /** How many there are, by workspace; without deleted ones. */
  counts(workspaceIds: readonly string[]): Promise<Map<string, number>>
  /** Without deleted ones. */
  ids(workspaceId: string): Promise<string[]>
  /** The ones that were used last. */
  latest(workspaceId: string, limit: number): Promise<Pick<ThreadRow, 'id' | 'title'>[]>
  /** Takes all of them out of every list. Returns those in which a turn runs. */
  markDeleted(workspaceId: string, at: number): Promise<string[]>
  /** Brings those back that were taken out at this moment. */
  unmarkDeleted(workspaceId: string, at: number): Promise<void>
  deletedIds(workspaceId: string): Promise<string[]>
  /** Has a deleted thread removed for good, with all that is kept of it. */
  planRemoval(threadId: string, dueAt: number): Promise<void>
}

export function makeWorkspaceThreads(options: { store: ThreadStore; operations: Operations }): WorkspaceThreads {
  const { store, operations } = options
  return {
    counts: (workspaceIds) => store.countsIn(workspaceIds),
    ids: (workspaceId) => store.idsIn(workspaceId, { areDeleted: false }),
    latest: (workspaceId, limit) => store.latestIn(workspaceId, limit),
    markDeleted: (workspaceId, at) => store.markDeletedIn(workspaceId, at),
    unmarkDeleted: (workspaceId, at) => store.unmarkDeletedIn(workspaceId, at),
    deletedIds: (workspaceId) => store.idsIn(workspaceId, { areDeleted: true }),
    planRemoval: (threadId, dueAt) => operations.plan({ kind: deleteThreadOperation, subjectId: threadId, dueAt }),
  }
}
