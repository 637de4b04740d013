import type { Logger } from '@threadbox/telemetry'
import type { Operations } from '../../platform/operations/operations.ts'
import type { System } from '../../platform/system/system.ts'
import type { ThreadStore } from '../log/threads.store.ts'
import { deleteThreadOperation } from './threads.usecases.ts'

/** Removes what one feature keeps of a thread. Called again after a crash: removing nothing is fine. */
export type ThreadEraser = (threadId: string) => Promise<void>

/**
 * Removes threads for good once their undo time is over. The erasers run in order, each to its end, and the thread's
 * own row goes last: while it is there, a crash only means that all of them run again.
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
    // Planned, but the server ended before the thread was marked: nobody was told that it is deleted.
    if (row !== undefined && row.deleted_at === null) return
    for (const erase of options.erasers()) await erase(subjectId)
    await store.erase(subjectId)
    logger.info({ threadId: subjectId }, 'thread removed')
  })
}

/**
 * At start: a thread that is marked as deleted has an operation, whatever a crash came between. One that was being made
 * out of something else waits no longer for whoever made it.
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
