import type { Logger } from '@threadbox/telemetry'
import type { Events } from '../../platform/events/events.ts'
import type { Operations } from '../../platform/operations/operations.ts'
import type { System } from '../../platform/system/system.ts'
import type { WorkspaceStore } from '../access/workspaces.store.ts'
import type { WorkspaceThreads } from '../threads/workspace-threads.ts'
import type { ThreadEvents } from '../threads.events.ts'
import { deleteWorkspaceOperation } from './workspaces.usecases.ts'

/** Deletes what one feature stores of a workspace. It runs again after a crash, so deleting nothing must succeed. */
export type WorkspaceEraser = (workspaceId: string) => Promise<void>

/**
 * Deletes workspaces permanently once their undo time is over. Each of their threads gets the same operation as any
 * deleted thread, so that one that can't be deleted doesn't block the others. `remove` is without an undo time; the
 * operation of its caller runs again after a crash.
 */
export function registerWorkspaceDeletion(options: {
  operations: Operations
  store: WorkspaceStore
  threads: WorkspaceThreads
  erasers: () => readonly WorkspaceEraser[]
  events: Pick<Events<ThreadEvents>, 'emit'>
  system: System
  logger: Logger
}): { remove(workspaceId: string): Promise<void> } {
  const { operations, store, threads, system, logger } = options
  const work = async (subjectId: string) => {
    const row = await store.findAny(subjectId)
    // Planned, but the server ended before the workspace was marked: no client was notified of a deletion.
    if (row === undefined || row.deleted_at === null) return
    for (const threadId of await threads.deletedIds(subjectId))
      await threads.planRemoval(threadId, options.system.now())
    for (const erase of options.erasers()) await erase(subjectId)
    await store.erase(subjectId)
    // Nothing is inherited from it anymore, also not by threads that were moved in during the deletion, which stay.
    await options.events.emit('inheritance-changed', {})
    logger.info({ workspaceId: subjectId }, 'workspace removed')
  }
  operations.register(deleteWorkspaceOperation, ({ subjectId }) => work(subjectId))
  return {
    remove: async (workspaceId) => {
      const at = system.now()
      await store.update(workspaceId, { deleted_at: at })
      await threads.markDeleted(workspaceId, at)
      await work(workspaceId)
    },
  }
}

/** Call at start: plans an operation for each workspace that is marked as deleted, and marks its threads too. */
export async function replanWorkspaceDeletions(options: {
  operations: Operations
  store: WorkspaceStore
  threads: WorkspaceThreads
  system: System
  undoMs: number
}): Promise<void> {
  const { operations, store, threads } = options
  for (const workspaceId of await store.deletedIds()) {
    const deletedAt = (await store.findAny(workspaceId))?.deleted_at ?? null
    if (deletedAt === null || (await operations.isPlanned(deleteWorkspaceOperation, workspaceId))) continue
    await threads.markDeleted(workspaceId, deletedAt)
    const dueAt = options.system.now() + options.undoMs
    await operations.plan({ kind: deleteWorkspaceOperation, subjectId: workspaceId, dueAt })
  }
}
