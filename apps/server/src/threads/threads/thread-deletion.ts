import type { Logger } from '@threadbox/telemetry'
import type { Operations } from '../../platform/operations/operations.ts'
import type { System } from '../../platform/system/system.ts'
import type { ThreadStore } from '../log/threads.store.ts'
import { deleteThreadOperation } from './threads.usecases.ts'

/** Deletes what one feature stores of a thread. It runs again after a crash, so deleting nothing must succeed. */
export type ThreadEraser = (threadId: string) => Promise<void>

/**
 * Deletes threads permanently once their undo time is over. The erasers run in order, each to its end, and the thread's
 * own row is deleted last: while it exists, a crash only makes all of them run again.
 */
export function registerThreadDeletion(options: {
  operations: Operations
  store: ThreadStore
  erasers: () => readonly ThreadEraser[]
  logger: Logger
}): void {
  const { operations, store, logger } = options
  operations.register(deleteThreadOperation, async ({ subjectId }) => {
    const row = await store.findAny(subjectId)
    // Planned, but the server ended before the thread was marked: no client was notified of a deletion.
    if (row !== undefined && row.deleted_at === null) return
    for (const erase of options.erasers()) await erase(subjectId)
    await store.erase(subjectId)
    logger.info({ threadId: subjectId }, 'thread removed')
  })
}

/**
 * Call at start: plans an operation for each thread that is marked as deleted, wherever a crash came in between. The
 * removal of a hidden thread is moved forward, because its creation ended with the previous server.
 */
export async function replanDeletions(options: {
  operations: Operations
  store: ThreadStore
  system: System
  undoMs: number
}): Promise<void> {
  for (const threadId of await options.store.deletedIds()) {
    const dueAt = options.system.now() + options.undoMs
    const plannedAt = await options.operations.dueAt(deleteThreadOperation, threadId)
    if (plannedAt !== undefined && plannedAt <= dueAt) continue
    await options.operations.plan({ kind: deleteThreadOperation, subjectId: threadId, dueAt })
  }
}
