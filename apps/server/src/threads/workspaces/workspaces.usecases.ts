import type { WorkspaceAction } from '@threadbox/domain'
import type {
  CreateWorkspace,
  UpdateWorkspace,
  Workspace,
  WorkspaceContents,
  Workspaces as WorkspacesView,
} from '@threadbox/protocol/public'
import { type Audit, auditChange, type UserHub } from '../../people/public.ts'
import { isUniqueViolation } from '../../platform/database/database.ts'
import type { Events } from '../../platform/events/events.ts'
import type { Operations } from '../../platform/operations/operations.ts'
import type { System } from '../../platform/system/system.ts'
import type { Access } from '../access/access.ts'
import {
  workspaceArchived,
  workspaceNameTaken,
  workspaceNotFound,
  workspacePlaceInvalid,
  workspaceUndoOver,
} from '../access/workspaces.errors.ts'
import { changedValues, nameKey, presentWorkspace, valuesOf } from '../access/workspaces.presenter.ts'
import type { WorkspaceOfMember, WorkspaceStore } from '../access/workspaces.store.ts'
import type { WorkspaceThreads } from '../threads/workspace-threads.ts'
import type { ThreadEvents } from '../threads.events.ts'
import { type ContentsDependencies, readContents } from './workspace-contents.ts'

/** The kind of the operation that deletes a workspace permanently, see `workspace-deletion.ts`. */
export const deleteWorkspaceOperation = 'delete-workspace'

/**
 * Every method throws `workspace.not-found`, also for a workspace in which the user has no role, and `workspace.role-missing`
 * if the role doesn’t allow it.
 */
export type Workspaces = {
  list(userId: string): Promise<WorkspacesView>
  get(userId: string, workspaceId: string): Promise<Workspace>
  /** Throws `workspace.name-taken`, `auth.outside-workspaces`. */
  create(userId: string, request: CreateWorkspace): Promise<Workspace>
  update(userId: string, workspaceId: string, request: UpdateWorkspace): Promise<Workspace>
  /** Moves the workspace before another one of the user, or to the end. Throws `workspace.place-invalid`. */
  place(userId: string, workspaceId: string, before: string | null): Promise<WorkspacesView>
  contents(userId: string, workspaceId: string): Promise<WorkspaceContents>
  /**
   * Removes the workspace with its threads from the sidebar immediately. They are deleted permanently when the undo
   * time is over.
   */
  delete(userId: string, workspaceId: string): Promise<Workspace>
  restore(userId: string, workspaceId: string): Promise<Workspace>
  /** Throws unless threads can be added to the workspace, also `workspace.archived`. */
  requireOpen(userId: string, workspaceId: string): Promise<void>
  /** Throws unless the user can manage the workspace. */
  requireManaged(userId: string, workspaceId: string): Promise<void>
  /** Instructions and model for threads in the workspace. */
  facts(workspaceId: string): Promise<{ instructions: string; modelId: string | null } | undefined>
  /** Threads were added, removed or moved: notifies the members of these workspaces, who list the threads again. */
  changed(workspaceIds: readonly (string | null)[]): Promise<void>
}

export type WorkspacesDependencies = ContentsDependencies & {
  store: WorkspaceStore
  access: Access
  threads: WorkspaceThreads
  installation: () => Promise<WorkspacesView['installation']>
  operations: Operations
  userHub: UserHub
  audit: Audit
  system: System
  undoMs: number
  events: Pick<Events<ThreadEvents>, 'emit'>
}

export function makeWorkspaces(dependencies: WorkspacesDependencies): Workspaces {
  const { store } = dependencies
  const find = async (userId: string, workspaceId: string, action: WorkspaceAction = 'manage') => {
    const row = await store.find(userId, workspaceId)
    const subject = { workspaceId, ownerId: row?.owner_id ?? '', isPrivate: false }
    if (row === undefined) throw workspaceNotFound({})
    await dependencies.access.require(userId, action, { subject, notFound: () => workspaceNotFound({}) })
    return row
  }
  const open = async (userId: string, workspaceId: string, action?: WorkspaceAction) => {
    const row = await find(userId, workspaceId, action)
    if (row.deleted_at !== null) throw workspaceNotFound({})
    return row
  }
  const present = async (userId: string, row: WorkspaceOfMember) =>
    presentWorkspace(row, (await dependencies.threads.counts([row.id], userId)).get(row.id) ?? 0)
  const list = async (userId: string): Promise<WorkspacesView> => {
    const rows = (await store.list(userId)).filter(({ id }) => dependencies.access.reaches(userId, id))
    const counts = await dependencies.threads.counts(
      rows.map(({ id }) => id),
      userId,
    )
    return {
      workspaces: rows.map((row) => presentWorkspace(row, counts.get(row.id) ?? 0)),
      installation: await dependencies.installation(),
    }
  }
  const changed = (workspaceIds: readonly (string | null)[]) => publish(dependencies, workspaceIds)

  return {
    list,
    changed,
    get: async (userId, workspaceId) => present(userId, await open(userId, workspaceId, 'read')),
    create: async (userId, { name }) => {
      dependencies.access.requireOutside(userId)
      const id = await create(dependencies, { userId, name })
      await changed([id])
      return await present(userId, await open(userId, id))
    },
    update: async (userId, workspaceId, request) => {
      await update(dependencies, { userId, request, row: await open(userId, workspaceId, actionOf(request)) })
      await changed([workspaceId])
      return await present(userId, await open(userId, workspaceId, 'read'))
    },
    place: async (userId, workspaceId, before) => {
      await open(userId, workspaceId, 'read')
      if (before === workspaceId) throw workspacePlaceInvalid({})
      if (before !== null) await open(userId, before, 'read')
      if (!(await store.place(userId, workspaceId, before))) throw workspaceNotFound({})
      dependencies.userHub.publish(userId, { type: 'workspaces-updated' })
      return await list(userId)
    },
    contents: async (userId, workspaceId) => {
      await open(userId, workspaceId)
      return await readContents(dependencies, { workspaceId, userId })
    },
    delete: async (userId, workspaceId) => {
      const row = await open(userId, workspaceId)
      const deletedAt = await deleteWorkspace(dependencies, userId, row)
      await changed([workspaceId])
      return await present(userId, { ...row, deleted_at: deletedAt })
    },
    restore: async (userId, workspaceId) => {
      const row = await find(userId, workspaceId)
      if (row.deleted_at !== null) await restore(dependencies, { userId, row, deletedAt: row.deleted_at })
      await changed([workspaceId])
      return await present(userId, await open(userId, workspaceId))
    },
    requireOpen: async (userId, workspaceId) => {
      const row = await open(userId, workspaceId, 'work')
      if (row.archived_at !== null) throw workspaceArchived({ name: row.name })
    },
    requireManaged: async (userId, workspaceId) => void (await open(userId, workspaceId)),
    facts: async (workspaceId) => {
      const row = await store.findAny(workspaceId)
      return row && { instructions: row.instructions, modelId: row.model_id }
    },
  }
}

/** Collapsing only changes the user's own sidebar, so it doesn't need the permission to manage. */
function actionOf({ isCollapsed, ...rest }: UpdateWorkspace): WorkspaceAction {
  return Object.keys(rest).length === 0 ? 'read' : 'manage'
}

async function create(
  { store, system, audit }: WorkspacesDependencies,
  { userId, name }: { userId: string; name: string },
): Promise<string> {
  const id = system.newId('workspace')
  const nothing = { instructions: '', model_id: null, policy_json: '{}', limits_json: '{}' }
  const times = { created_at: system.now(), archived_at: null, deleted_at: null }
  const row = { id, owner_id: userId, ...namedColumns(name), ...nothing, ...times }
  await withFreeName(name, () => store.insert(row, { role: 'owner' }))
  await audit.record({ userId, action: 'workspace-created', subject: id })
  return id
}

async function update(
  dependencies: WorkspacesDependencies,
  change: { userId: string; row: WorkspaceOfMember; request: UpdateWorkspace },
): Promise<void> {
  const { store, system, audit } = dependencies
  const { userId, row, request } = change
  const { isCollapsed, isArchived, name } = request
  if (isCollapsed !== undefined) await store.setCollapsed(userId, row.id, isCollapsed)
  const values = changedValues(row, request)
  const columns = {
    ...(name === undefined ? {} : namedColumns(name)),
    ...(request.instructions === undefined ? {} : { instructions: request.instructions }),
    ...(request.modelId === undefined ? {} : { model_id: request.modelId }),
    ...(isArchived === undefined ? {} : { archived_at: isArchived ? (row.archived_at ?? system.now()) : null }),
    ...values,
  }
  if (Object.keys(columns).length === 0) return
  await withFreeName(name ?? row.name, () => store.update(row.id, columns))
  await audit.record({
    userId,
    action: 'workspace-changed',
    subject: row.id,
    details: { fields: Object.keys(request).join(', ') },
    ...auditChange(auditStateOf(row), auditStateOf({ ...row, ...columns })),
  })
  if (Object.keys(values).length > 0) await dependencies.events.emit('inheritance-changed', {})
}

/**
 * The order matters for a crash in between: an operation without a mark does nothing when it is due; a marked workspace
 * is resumed at the next start, with the threads that weren't marked.
 */
async function deleteWorkspace(
  dependencies: WorkspacesDependencies,
  userId: string,
  row: WorkspaceOfMember,
): Promise<number> {
  const { store, system, operations, audit, threads } = dependencies
  const now = system.now()
  await operations.plan({ kind: deleteWorkspaceOperation, subjectId: row.id, dueAt: now + dependencies.undoMs })
  await store.update(row.id, { deleted_at: now })
  const running = await threads.markDeleted(row.id, now)
  await dependencies.events.emit('inheritance-changed', {})
  await audit.record({ userId, action: 'workspace-deleted', subject: row.id, details: { name: row.name } })
  for (const threadId of running) void dependencies.events.emit('thread-deleted', { threadId })
  return now
}

/**
 * Removes the workspace's mark last: a crash in between leaves restored threads in a deleted workspace, and a second
 * request restores it too.
 */
async function restore(
  dependencies: WorkspacesDependencies,
  { userId, row, deletedAt }: { userId: string; row: WorkspaceOfMember; deletedAt: number },
): Promise<void> {
  const { store, operations, audit, threads } = dependencies
  const others = await store.list(row.owner_id)
  if (others.some(({ name_key }) => name_key === row.name_key)) throw workspaceNameTaken({ name: row.name })
  if (!(await operations.withdraw(deleteWorkspaceOperation, row.id))) throw workspaceUndoOver({})
  await threads.unmarkDeleted(row.id, deletedAt)
  await dependencies.events.emit('inheritance-changed', {})
  await withFreeName(row.name, () => store.update(row.id, { deleted_at: null }))
  await audit.record({ userId, action: 'workspace-restored', subject: row.id })
}

/** A workspace as rows of the audit log have it: of the instructions only their length. */
function auditStateOf(row: WorkspaceOfMember) {
  const { name, model_id: model, archived_at: archivedAt, instructions } = row
  const { policy, limits } = valuesOf(row)
  const state = { name, model, archivedAt, instructionsLength: instructions.length }
  return { ...state, ...prefixed('policy', policy), ...prefixed('limits', limits) }
}

/** A value that is null, as the days of retention can be, is no limit; one that is inherited isn’t there. */
function prefixed(prefix: string, values: Readonly<Record<string, string | number | null>>) {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}.${name}`, value ?? 'none']))
}

function namedColumns(name: string): { name: string; name_key: string } {
  return { name, name_key: nameKey(name) }
}

async function withFreeName(name: string, write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (error) {
    if (isUniqueViolation(error)) throw workspaceNameTaken({ name })
    throw error
  }
}

async function publish(
  { store, userHub }: WorkspacesDependencies,
  workspaceIds: readonly (string | null)[],
): Promise<void> {
  const known = workspaceIds.filter((id) => id !== null)
  const members = await Promise.all(known.map((id) => store.memberIds(id)))
  for (const userId of new Set(members.flat())) userHub.publish(userId, { type: 'workspaces-updated' })
}
