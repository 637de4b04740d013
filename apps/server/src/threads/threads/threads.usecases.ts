import { type KeyedLock, makeKeyedLock } from '@threadbox/concurrency'
import { roleActionOf, type WorkspaceAction } from '@threadbox/domain'
import type {
  AuditEvent,
  CreateThread,
  SandboxView,
  SearchHit,
  Thread,
  ThreadPage,
  UpdateThread,
} from '@threadbox/protocol/public'
import { actingAction } from '../../platform/http/acting-request.ts'
import { subjectOfThread } from '../access/access.ts'
import type { LogTransaction } from '../log/thread-log.ts'
import { threadNotFound, threadPrivateOutside, threadUndoOver } from '../log/threads.errors.ts'
import type { ThreadRow } from '../log/threads.table.ts'
import { excerptOf, termsOf } from '../search/search-documents.logic.ts'
import { actionOfChange, changeThread, requirePlace } from './change-thread.ts'
import { cursorOf, parseCursor } from './threads.cursor.ts'
import { presentThread } from './threads.presenter.ts'
import type { ThreadsDependencies } from './threads-dependencies.ts'

/** The kind of the operation that deletes a thread permanently, see `thread-deletion.ts`. */
export const deleteThreadOperation = 'delete-thread'

export type Threads = {
  /** Throws `workspace.not-found`, `workspace.archived`, `auth.outside-workspaces`, as does an update that moves it. */
  create(userId: string, request: CreateThread): Promise<Thread>
  /** Throws `thread.not-found`, also for a thread that this user can’t see. */
  get(userId: string, threadId: string): Promise<Thread>
  /**
   * Returns the thread if it isn’t deleted and this user’s role allows the action, by default what the request does. Every
   * route of a thread first calls this. Throws `thread.not-found`, and `workspace.role-missing` if the user only sees it.
   */
  open(userId: string, threadId: string, action?: WorkspaceAction): Promise<ThreadRow>
  list(userId: string, page: { cursor: string | undefined; limit: number }): Promise<ThreadPage>
  update(userId: string, threadId: string, request: UpdateThread): Promise<Thread>
  /** Removes the thread from the list immediately. It is deleted permanently when the undo time is over. */
  delete(userId: string, threadId: string): Promise<Thread>
  /**
   * Deletes the thread as if its owner had, for a rule that runs unattended. `mark` marks the row as deleted at this
   * time, unless the rule no longer applies. Returns whether the thread was deleted.
   */
  deleteByRule(threadId: string, rule: DeletionRule): Promise<boolean>
  restore(userId: string, threadId: string): Promise<Thread>
  search(userId: string, query: { text: string; limit: number }): Promise<SearchHit[]>
  /** Sets a title suggested by a model or the first message. A title set by a user stays. */
  setAutomaticTitle(threadId: string, title: string): Promise<void>
  /**
   * Publishes the thread's current state to open pages of the thread and of its owner's sidebar. With `soon`, it is recorded with
   * the next change of the conversation, and nothing waits for that.
   */
  announce(threadId: string, options?: AnnounceOptions): Promise<void>
}

export type AnnounceOptions = { isRecorded: boolean | 'soon' }

export type DeletionRule = { mark(at: number): Promise<boolean>; details: AuditEvent['details'] }

export function makeThreads(dependencies: ThreadsDependencies): Threads {
  const { store, system, audit } = dependencies
  const present = async (userId: string, row: ThreadRow) => {
    const seen = await store.views.seenBy(row, [userId])
    return (await presentAll(dependencies, { userId, rows: [...seen.values()] }))[0] as Thread
  }
  const find = async (userId: string, threadId: string, action: WorkspaceAction) => {
    const row = await store.findAny(threadId)
    if (row === undefined) throw threadNotFound({})
    await dependencies.access.require(userId, action, {
      subject: subjectOfThread(row),
      notFound: () => threadNotFound({}),
    })
    return row
  }
  const open: Threads['open'] = async (userId, threadId, action = roleActionOf(actingAction())) => {
    const row = await find(userId, threadId, action)
    if (row.deleted_at !== null) throw threadNotFound({})
    return row
  }
  const inOrder = makeKeyedLock()
  const announce = makeAnnounceThread(dependencies, inOrder)
  const deletion = { ...dependencies, inOrder }

  return {
    open,
    announce,
    get: async (userId, threadId) => present(userId, await find(userId, threadId, 'read')),
    create: async (userId, request) => {
      const { workspaceId = null } = request
      await requirePlace(dependencies, userId, workspaceId)
      if (workspaceId === null && request.isPrivate === true) throw threadPrivateOutside({})
      const row = newRow({ id: system.newId('thread'), userId, now: system.now(), request })
      await store.insert(row)
      if (row.title !== '') await dependencies.search.putTitle({ id: row.id, title: row.title, at: row.created_at })
      await announce(row.id, { isRecorded: false })
      await dependencies.events.emit('threads-listed', { workspaceIds: [workspaceId] })
      return await present(userId, row)
    },
    list: async (userId, page) => {
      const after = page.cursor === undefined ? null : parseCursor(page.cursor)
      const within = dependencies.access.reach(userId)
      const candidates = await store.views.list(userId, { after, limit: page.limit + 1, within })
      const rows = candidates.slice(0, page.limit)
      const last = rows.at(-1)
      return {
        threads: await presentAll(dependencies, { userId, rows }),
        next: candidates.length > page.limit && last !== undefined ? cursorOf(last) : null,
      }
    },
    update: async (userId, threadId, request) => {
      await changeThread(dependencies, { userId, row: await open(userId, threadId, actionOfChange(request)), request })
      await announce(threadId)
      return await present(userId, await open(userId, threadId, 'read'))
    },
    delete: async (userId, threadId) => {
      const row = await open(userId, threadId, 'change')
      const mark = async (at: number) => {
        await store.update(row.id, { deleted_at: at })
        return true
      }
      await deleteThread(deletion, { row, by: userId, rule: { mark, details: {} } })
      return await present(userId, (await store.findAny(threadId)) ?? row)
    },
    deleteByRule: async (threadId, rule) => {
      const row = await store.findAny(threadId)
      if (row === undefined || row.deleted_at !== null) return false
      return await deleteThread(deletion, { row, by: null, rule })
    },
    restore: async (userId, threadId) => {
      const row = await find(userId, threadId, 'change')
      if (row.deleted_at === null) return await present(userId, row)
      if (!(await dependencies.operations.withdraw(deleteThreadOperation, threadId))) throw threadUndoOver({})
      await store.update(threadId, { deleted_at: null })
      await dependencies.events.emit('inheritance-changed', {})
      await audit.record({ userId, action: 'thread-restored', subject: threadId })
      await announce(threadId)
      await dependencies.events.emit('threads-listed', { workspaceIds: [row.workspace_id] })
      return await present(userId, await open(userId, threadId, 'change'))
    },
    search: (userId, query) => searchThreads(dependencies, userId, query),
    setAutomaticTitle: async (threadId, title) => {
      const clean = title.replaceAll('\0', '').trim().slice(0, 200)
      if (clean === '') return
      const document = { id: threadId, title: clean, at: system.now() }
      const index = (transaction: LogTransaction) => dependencies.search.putTitle(document, transaction)
      if (!(await store.setAutomaticTitle(threadId, clean, index))) return
      await announce(threadId)
    },
  }
}

/** The row of a new, empty thread. */
export function newRow(options: { id: string; userId: string; now: number; request: CreateThread }): ThreadRow {
  const title = options.request.title?.trim() ?? ''
  return {
    id: options.id,
    user_id: options.userId,
    title,
    title_source: title === '' ? 'none' : 'person',
    created_at: options.now,
    updated_at: options.now,
    is_pinned: 0,
    deleted_at: null,
    model_id: options.request.modelId ?? null,
    workspace_id: options.request.workspaceId ?? null,
    last_seq: 0,
    pruned_seq: 0,
    news_seq: 0,
    read_seq: 0,
    running_turn_id: null,
    forked_from_json: null,
    started_from_json: null,
    is_private: options.request.isPrivate === true ? 1 : 0,
    is_personal_off: 0,
  }
}

/**
 * Publishes the current state of a thread. States are published in the order in which they were read, so that an
 * outdated one never follows its successor.
 */
export function makeAnnounceThread(
  dependencies: Pick<ThreadsDependencies, 'store' | 'sandboxViews' | 'userHub' | 'log' | 'access'>,
  inOrder = makeKeyedLock(),
): Threads['announce'] {
  return (threadId, options = { isRecorded: true }) =>
    inOrder(threadId, async () => {
      const row = await dependencies.store.findAny(threadId)
      if (row === undefined || row.deleted_at !== null) return
      // Notifies open pages first: the state is already stored, and the record is for later readers of the thread's
      // events.
      const readers = await dependencies.access.people('read', subjectOfThread(row))
      const views = await dependencies.sandboxViews([row.id])
      const present = async (userId: string, seen: ThreadRow) =>
        (await presentAll(dependencies, { userId, rows: [seen], views }))[0]
      let recorded: Thread | undefined
      for (const [userId, seen] of await dependencies.store.views.seenBy(row, readers)) {
        const thread = await present(userId, seen)
        if (thread === undefined) return
        if (userId === row.user_id) recorded = thread
        dependencies.userHub.publish(userId, { type: 'thread-updated', thread })
      }
      // As its creator has it, also one who has left the workspace.
      const thread = recorded ?? (await present(row.user_id, row))
      if (thread === undefined) return
      const change = { type: 'thread-updated' as const, thread }
      if (options.isRecorded === 'soon') dependencies.log.recordThreadSoon(threadId, change)
      else if (options.isRecorded) await dependencies.log.recordThread(threadId, change)
    })
}

/** `rows` have what this user has for themselves. */
async function presentAll(
  dependencies: Pick<ThreadsDependencies, 'sandboxViews' | 'access'>,
  view: { userId: string; rows: readonly ThreadRow[]; views?: Map<string, SandboxView> },
): Promise<Thread[]> {
  const { userId, rows } = view
  const views = view.views ?? (await dependencies.sandboxViews(rows.map((row) => row.id)))
  const allowed = await dependencies.access.allowed(userId, rows.map(subjectOfThread))
  return rows.flatMap((row, index) => {
    const sandbox = views.get(row.id)
    return sandbox === undefined ? [] : [presentThread(row, { sandbox, allowed: allowed[index] ?? [] })]
  })
}

/** `by` is null if a rule deletes the thread. */
async function deleteThread(
  dependencies: ThreadsDependencies & { inOrder: KeyedLock },
  work: { row: ThreadRow; by: string | null; rule: DeletionRule },
): Promise<boolean> {
  const { system, operations, audit, userHub, events } = dependencies
  const { row, by, rule } = work
  const now = system.now()
  // The order matters for a crash in between: an operation without a mark is withdrawn by the next restore, or runs and
  // finds no mark; a mark without an operation would hide the thread forever.
  await operations.plan({ kind: deleteThreadOperation, subjectId: row.id, dueAt: now + dependencies.undoMs })
  if (!(await rule.mark(now))) return false
  await events.emit('inheritance-changed', {})
  await audit.record({ userId: by, action: 'thread-deleted', subject: row.id, details: rule.details })
  void events.emit('thread-deleted', { threadId: row.id })
  await dependencies.events.emit('threads-listed', { workspaceIds: [row.workspace_id] })
  const readers = await dependencies.access.people('read', subjectOfThread(row))
  await dependencies.inOrder(row.id, async () => {
    for (const reader of readers) userHub.publish(reader, { type: 'thread-removed', threadId: row.id })
  })
  return true
}

async function searchThreads(
  dependencies: ThreadsDependencies,
  userId: string,
  query: { text: string; limit: number },
): Promise<SearchHit[]> {
  const within = dependencies.access.reach(userId)
  const documents = await dependencies.search.find({ ...query, userId, within })
  const terms = termsOf(query.text)
  const titles = new Map<string, string>()
  for (const threadId of new Set(documents.map((document) => document.threadId))) {
    titles.set(threadId, (await dependencies.store.findAny(threadId))?.title ?? '')
  }
  return documents.map((document) => ({
    threadId: document.threadId,
    threadTitle: titles.get(document.threadId) ?? '',
    entryId: document.entryId,
    where: document.place,
    excerpt: excerptOf(document.body, terms),
    at: document.at,
  }))
}
