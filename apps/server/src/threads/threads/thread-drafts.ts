import type { ForkedFrom, Thread } from '@threadbox/protocol/public'
import type { Events } from '../../platform/events/events.ts'
import type { Operations } from '../../platform/operations/operations.ts'
import type { System } from '../../platform/system/system.ts'
import type { ThreadStore } from '../log/threads.store.ts'
import type { ThreadRow } from '../log/threads.table.ts'
import type { ThreadEvents } from '../threads.events.ts'
import { deleteThreadOperation, newRow, type Threads } from './threads.usecases.ts'
import type { Titles } from './threads-dependencies.ts'

/**
 * Threads being created by a fork, a copy or an agent. Until `show`, a thread is stored as deleted with a scheduled
 * removal, so that a crash leaves nothing visible and the removal cleans up.
 */
export type ThreadDrafts = {
  create(like: HiddenThread): Promise<string>
  /** Returns whether the thread is being created or was shown; undefined when it doesn't exist. */
  stateOf(threadId: string): Promise<'hidden' | 'shown' | undefined>
  /** Makes it an ordinary thread. */
  show(threadId: string, forkedFrom?: ForkedFrom): Promise<Thread>
  /** Deletes it with everything that was created for it. */
  abandon(threadId: string): Promise<void>
}

/** Without `id` it gets a new one. */
export type HiddenThread = Pick<ThreadRow, 'user_id' | 'title' | 'title_source' | 'model_id' | 'workspace_id'> &
  Partial<Pick<ThreadRow, 'id' | 'started_from_json' | 'is_private'>>

/** Longer than any creation of a thread takes. */
const removalDelayMs = 30 * 60_000

export function makeThreadDrafts(dependencies: {
  store: ThreadStore
  operations: Operations
  threads: Pick<Threads, 'get' | 'announce'>
  titles: Titles
  events: Pick<Events<ThreadEvents>, 'emit'>
  system: System
}): ThreadDrafts {
  const { store, operations, system } = dependencies
  const plan = (subjectId: string, dueAt: number) => operations.plan({ kind: deleteThreadOperation, subjectId, dueAt })
  return {
    create: async (like) => {
      const [id, now] = [like.id ?? system.newId('thread'), system.now()]
      await plan(id, now + removalDelayMs)
      await store.insert({ ...newRow({ id, userId: like.user_id, now, request: {} }), ...like, deleted_at: now })
      return id
    },
    stateOf: async (threadId) => {
      const row = await store.findAny(threadId)
      if (row === undefined) return undefined
      // If a user deleted it, the deletion is later than the creation.
      return row.deleted_at === row.created_at ? 'hidden' : 'shown'
    },
    show: async (threadId, forkedFrom) => {
      // Withdrawn last: an operation that runs for a shown thread does nothing.
      const forked = forkedFrom === undefined ? {} : { forked_from_json: JSON.stringify(forkedFrom) }
      await store.update(threadId, { ...forked, deleted_at: null })
      await operations.withdraw(deleteThreadOperation, threadId)
      const row = (await store.findAny(threadId)) as ThreadRow
      await store.views.markRead(row, row.user_id)
      await dependencies.titles.putTitle({ id: threadId, title: row.title, at: row.created_at })
      await dependencies.threads.announce(threadId, { isRecorded: false })
      await dependencies.events.emit('threads-listed', { workspaceIds: [row.workspace_id] })
      return await dependencies.threads.get(row.user_id, threadId)
    },
    abandon: (threadId) => plan(threadId, system.now()),
  }
}
