import { type KeyedLock, makeKeyedLock } from '@threadbox/concurrency'
import type {
  AuditEvent,
  CreateThread,
  SandboxView,
  SearchHit,
  Thread,
  ThreadPage,
  UpdateThread,
} from '@threadbox/protocol/public'
import type { Audit, UserHub } from '../../people/public.ts'
import type { Events } from '../../platform/events/events.ts'
import type { Operations } from '../../platform/operations/operations.ts'
import type { System } from '../../platform/system/system.ts'
import type { Access } from '../access/access.ts'
import type { ThreadRecorder } from '../log/thread-log.implementation.ts'
import type { LogTransaction } from '../log/thread-log.ts'
import { threadNotFound, threadUndoOver } from '../log/threads.errors.ts'
import type { ThreadStore } from '../log/threads.store.ts'
import type { ThreadRow } from '../log/threads.table.ts'
import { excerptOf, termsOf } from '../search/search-documents.logic.ts'
import type { SearchIndex } from '../search/search-index.ts'
import type { ThreadEvents } from '../threads.events.ts'
import { cursorOf, parseCursor } from './threads.cursor.ts'
import { presentThread } from './threads.presenter.ts'

/** The kind of the operation that deletes a thread permanently, see `thread-deletion.ts`. */
export const deleteThreadOperation = 'delete-thread'

export type Threads = {
  /** Throws `workspace.not-found`, `workspace.archived`, `auth.outside-workspaces`, as does an update that moves it. */
  create(userId: string, request: CreateThread): Promise<Thread>
  /** Throws `thread.not-found`, also for another user's thread. */
  get(userId: string, threadId: string): Promise<Thread>
  /** Returns the thread if this user can edit it and it isn't deleted. Every route of a thread first calls this. */
  open(userId: string, threadId: string): Promise<ThreadRow>
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

/** The sandboxes of threads in the form of the API. */
export type SandboxViews = (threadIds: readonly string[]) => Promise<Map<string, SandboxView>>

/** Adds titles to the search index, alone or in a transaction. */
export type Titles = {
  putTitle(thread: { id: string; title: string; at: number }, transaction?: LogTransaction): Promise<void>
}

export type ThreadsDependencies = {
  store: ThreadStore
  log: ThreadRecorder
  search: Pick<SearchIndex, 'find'> & Titles
  sandboxViews: SandboxViews
  operations: Operations
  userHub: UserHub
  audit: Audit
  system: System
  undoMs: number
  events: Pick<Events<ThreadEvents>, 'emit'>
  access: Access
  /** Throws unless this user can add threads to the workspace. */
  requireWorkspace: (userId: string, workspaceId: string) => Promise<void>
}

export function makeThreads(dependencies: ThreadsDependencies): Threads {
  const { store, system, audit } = dependencies
  const present = async (row: ThreadRow) => (await presentAll(dependencies, [row]))[0] as Thread
  const find = async (userId: string, threadId: string) => {
    const row = await store.findAny(threadId)
    if (row === undefined || !(await canEdit(dependencies, userId, row))) throw threadNotFound({})
    return row
  }
  const open = async (userId: string, threadId: string) => {
    const row = await find(userId, threadId)
    if (row.deleted_at !== null) throw threadNotFound({})
    return row
  }
  const inOrder = makeKeyedLock()
  const announce = makeAnnounceThread(dependencies, inOrder)
  const deletion = { ...dependencies, inOrder }

  return {
    open,
    announce,
    get: async (userId, threadId) => present(await find(userId, threadId)),
    create: async (userId, request) => {
      const { workspaceId = null } = request
      await requirePlace(dependencies, userId, workspaceId)
      const row = newRow({ id: system.newId('thread'), userId, now: system.now(), request })
      await store.insert(row)
      if (row.title !== '') await dependencies.search.putTitle({ id: row.id, title: row.title, at: row.created_at })
      await announce(row.id, { isRecorded: false })
      await dependencies.events.emit('threads-listed', { workspaceIds: [workspaceId] })
      return await present(row)
    },
    list: async (userId, page) => {
      const after = page.cursor === undefined ? null : parseCursor(page.cursor)
      const within = dependencies.access.reach(userId)
      const candidates = await store.list(userId, { after, limit: page.limit + 1, within })
      const rows = candidates.slice(0, page.limit)
      const last = rows.at(-1)
      return {
        threads: await presentAll(dependencies, rows),
        next: candidates.length > page.limit && last !== undefined ? cursorOf(last) : null,
      }
    },
    update: async (userId, threadId, request) => {
      await update(dependencies, { userId, row: await open(userId, threadId), request })
      await announce(threadId)
      return await present(await open(userId, threadId))
    },
    delete: async (userId, threadId) => {
      const row = await open(userId, threadId)
      const mark = async (at: number) => {
        await store.update(row.id, { deleted_at: at })
        return true
      }
      await deleteThread(deletion, { row, by: userId, rule: { mark, details: {} } })
      return await present((await store.findAny(threadId)) ?? row)
    },
    deleteByRule: async (threadId, rule) => {
      const row = await store.findAny(threadId)
      if (row === undefined || row.deleted_at !== null) return false
      return await deleteThread(deletion, { row, by: null, rule })
    },
    restore: async (userId, threadId) => {
      const row = await find(userId, threadId)
      if (row.deleted_at === null) return await present(row)
      if (!(await dependencies.operations.withdraw(deleteThreadOperation, threadId))) throw threadUndoOver({})
      await store.update(threadId, { deleted_at: null })
      await dependencies.events.emit('inheritance-changed', {})
      await audit.record({ userId, action: 'thread-restored', subject: threadId })
      await announce(threadId)
      await dependencies.events.emit('threads-listed', { workspaceIds: [row.workspace_id] })
      return await present(await open(userId, threadId))
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
  }
}

/**
 * Publishes the current state of a thread. States are published in the order in which they were read, so that an
 * outdated one never follows its successor.
 */
export function makeAnnounceThread(
  dependencies: Pick<ThreadsDependencies, 'store' | 'sandboxViews' | 'userHub' | 'log'>,
  inOrder = makeKeyedLock(),
): Threads['announce'] {
  return (threadId, options = { isRecorded: true }) =>
    inOrder(threadId, async () => {
      const row = await dependencies.store.findAny(threadId)
      if (row === undefined || row.deleted_at !== null) return
      const [thread] = await presentAll(dependencies, [row])
      if (thread === undefined) return
      // Notifies open pages first: the state is already stored, and the record is for later readers of the thread's
      // events.
      dependencies.userHub.publish(row.user_id, { type: 'thread-updated', thread })
      const change = { type: 'thread-updated' as const, thread }
      if (options.isRecorded === 'soon') dependencies.log.recordThreadSoon(threadId, change)
      else if (options.isRecorded) await dependencies.log.recordThread(threadId, change)
    })
}

async function presentAll(
  dependencies: Pick<ThreadsDependencies, 'sandboxViews'>,
  rows: readonly ThreadRow[],
): Promise<Thread[]> {
  const views = await dependencies.sandboxViews(rows.map((row) => row.id))
  return rows.flatMap((row) => {
    const sandbox = views.get(row.id)
    return sandbox === undefined ? [] : [presentThread(row, sandbox)]
  })
}

function canEdit({ access }: ThreadsDependencies, userId: string, row: ThreadRow): Promise<boolean> {
  return access.may(userId, 'work', { workspaceId: row.workspace_id, ownerId: row.user_id })
}

/** Throws unless the sender can have threads in the workspace, or with null outside of all. */
async function requirePlace(
  { access, requireWorkspace }: Pick<ThreadsDependencies, 'access' | 'requireWorkspace'>,
  userId: string,
  workspaceId: string | null,
): Promise<void> {
  if (workspaceId === null) access.requireOutside(userId)
  else await requireWorkspace(userId, workspaceId)
}

async function update(
  dependencies: ThreadsDependencies,
  change: { userId: string; row: ThreadRow; request: UpdateThread },
): Promise<void> {
  const { store, system } = dependencies
  const { userId, row, request } = change
  const { workspaceId } = request
  const isMoved = workspaceId !== undefined && workspaceId !== row.workspace_id
  if (isMoved) await requirePlace(dependencies, userId, workspaceId)
  const columns = {
    ...(request.title === undefined ? {} : { title: request.title.trim(), title_source: 'person' }),
    ...(request.isPinned === undefined ? {} : { is_pinned: request.isPinned ? 1 : 0 }),
    ...(request.modelId === undefined ? {} : { model_id: request.modelId }),
    ...(isMoved ? { workspace_id: workspaceId } : {}),
  }
  if (Object.keys(columns).length > 0) await store.update(row.id, columns)
  if (request.title !== undefined) {
    await dependencies.search.putTitle({ id: row.id, title: request.title.trim(), at: system.now() })
  }
  if (request.isRead === true) await store.markRead(row.id)
  if (!isMoved) return
  const moved = { before: { workspace: row.workspace_id }, after: { workspace: workspaceId } }
  await dependencies.audit.record({ userId, action: 'thread-moved', subject: row.id, ...moved })
  await dependencies.events.emit('threads-listed', { workspaceIds: [workspaceId, row.workspace_id] })
  await dependencies.events.emit('inheritance-changed', {})
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
  const removed = { type: 'thread-removed', threadId: row.id } as const
  await dependencies.inOrder(row.id, async () => userHub.publish(by ?? row.user_id, removed))
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
