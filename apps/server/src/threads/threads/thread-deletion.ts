import type { Logger } from '@threadbox/telemetry'
import type { Events } from '../../platform/events/events.ts'
import type { Operations } from '../../platform/operations/operations.ts'
import type { System } from '../../platform/system/system.ts'
import type { ThreadStore } from '../log/threads.store.ts'
import type { ThreadEvents } from '../threads.events.ts'
import { deleteThreadOperation } from './threads.usecases.ts'

/** Deletes what one feature stores of a thread. It runs again after a crash, so deleting nothing must succeed. */
export type ThreadEraser = (threadId: string) => Promise<void>

/**
 * Deletes threads permanently once their undo time is over. The erasers run in order, each to its end, and the thread's
 * own row is deleted last: while it exists, a crash only makes all of them run again. `remove` deletes a thread without an
 * undo time; the operation of its caller runs again after a crash.
 */
export function registerThreadDeletion(options: {
  operations: Operations
  store: ThreadStore
  erasers: () => readonly ThreadEraser[]
  events: Pick<Events<ThreadEvents>, 'emit'>
  system: System
  logger: Logger
}): { remove(threadId: string): Promise<void> } {
  const { operations, store, logger } = options
  const erase = async (threadId: string) => {
    for (const eraser of options.erasers()) await eraser(threadId)
    await store.erase(threadId)
    logger.info({ threadId }, 'thread removed')
  }
  operations.register(deleteThreadOperation, async ({ subjectId }) => {
    const row = await store.findAny(subjectId)
    // Planned, but the server ended before the thread was marked: no client was notified of a deletion.
    if (row !== undefined && row.deleted_at === null) return
    await erase(subjectId)
  })
  return {
    remove: async (threadId) => {
      if ((await store.findAny(threadId))?.deleted_at === null) {
        await store.update(threadId, { deleted_at: options.system.now() })
        await options.events.emit('thread-deleted', { threadId })
      }
      await erase(threadId)
    },
  }
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
