import type { WorkspaceAction } from '@threadbox/domain'
import type { UpdateThread } from '@threadbox/protocol/public'
import { type AccessSubject, subjectOfThread } from '../access/access.ts'
import {
  threadCreatorOutside,
  threadCreatorRequired,
  threadPrivateOutside,
  threadSharedWithOthers,
} from '../log/threads.errors.ts'
import type { ThreadRow } from '../log/threads.table.ts'
import type { ThreadsDependencies } from './threads-dependencies.ts'

type Change = { userId: string; row: ThreadRow; request: UpdateThread }

/** What a change needs of a role. A pin and what was read are the user’s own. */
export function actionOfChange({ isPinned, isRead, ...rest }: UpdateThread): WorkspaceAction {
  if ([rest.workspaceId, rest.isPrivate, rest.allowsPersonal].some((value) => value !== undefined)) return 'change'
  return Object.keys(rest).length === 0 ? 'read' : 'work'
}

/** Throws unless the sender can have threads in the workspace, or with null outside of all. */
export async function requirePlace(
  { access, requireWorkspace }: Pick<ThreadsDependencies, 'access' | 'requireWorkspace'>,
  userId: string,
  workspaceId: string | null,
): Promise<void> {
  if (workspaceId === null) access.requireOutside(userId)
  else await requireWorkspace(userId, workspaceId)
}

export async function changeThread(dependencies: ThreadsDependencies, change: Change): Promise<void> {
  const { store, system } = dependencies
  const { userId, row, request } = change
  const placement = await placementOf(dependencies, change)
  const columns = {
    ...(request.title === undefined ? {} : { title: request.title.trim(), title_source: 'person' }),
    ...(request.modelId === undefined ? {} : { model_id: request.modelId }),
    ...placement?.columns,
  }
  if (Object.keys(columns).length > 0) await store.update(row.id, columns)
  if (request.title !== undefined) {
    await dependencies.search.putTitle({ id: row.id, title: request.title.trim(), at: system.now() })
  }
  if (request.isPinned !== undefined) await store.views.pin(row, userId, request.isPinned)
  if (request.isRead === true) await store.views.markRead(row, userId)
  if (placement !== undefined) await announcePlacement(dependencies, { ...change, ...placement })
}

type Placement = {
  columns: Pick<ThreadRow, 'workspace_id' | 'is_private' | 'is_personal_off'>
  /** Who could see the thread before. */
  readers: string[]
}

/**
 * The workspace and privacy that the thread gets; undefined if neither changes. If others could work in the thread before
 * and can’t afterward, what is its creator’s own stays unusable: those who worked in it may have left something there.
 */
async function placementOf(dependencies: ThreadsDependencies, change: Change): Promise<Placement | undefined> {
  const { access } = dependencies
  const { userId, row, request } = change
  const before = subjectOfThread(row)
  const workspaceId = request.workspaceId === undefined ? row.workspace_id : request.workspaceId
  const isPrivate = workspaceId !== null && (request.isPrivate ?? before.isPrivate)
  const after: AccessSubject = { ...before, workspaceId, isPrivate }
  const isMoved = workspaceId !== row.workspace_id
  const isChanged = isMoved || isPrivate !== before.isPrivate
  if (!isChanged && request.allowsPersonal === undefined) return undefined
  const isCreator = row.user_id === userId
  if (isMoved) await requirePlace(dependencies, userId, workspaceId)
  if (workspaceId === null && request.isPrivate === true) throw threadPrivateOutside({})
  if (!isCreator && (workspaceId === null || isPrivate || request.allowsPersonal === true))
    throw threadCreatorRequired({})
  if (!isCreator && !(await access.roleMay(row.user_id, 'read', after))) throw threadCreatorOutside({})
  const wasShared = await isShared(dependencies, before)
  const isSharedAfter = await isShared(dependencies, after)
  if (request.allowsPersonal === true && isSharedAfter) throw threadSharedWithOthers({})
  const isOff = request.allowsPersonal !== true && (row.is_personal_off === 1 || (wasShared && !isSharedAfter))
  return {
    columns: { workspace_id: workspaceId, is_private: isPrivate ? 1 : 0, is_personal_off: isOff ? 1 : 0 },
    readers: await access.people('read', before),
  }
}

async function isShared({ access }: ThreadsDependencies, subject: AccessSubject): Promise<boolean> {
  return (await access.people('work', subject)).some((person) => person !== subject.ownerId)
}

async function announcePlacement(dependencies: ThreadsDependencies, change: Change & Placement): Promise<void> {
  const { access, audit, events, userHub } = dependencies
  const { userId, row, columns, readers } = change
  if (columns.workspace_id !== row.workspace_id) {
    const moved = { before: { workspace: row.workspace_id }, after: { workspace: columns.workspace_id } }
    await audit.record({ userId, action: 'thread-moved', subject: row.id, ...moved })
  }
  if (columns.is_private !== row.is_private) {
    const action = columns.is_private === 1 ? 'thread-made-private' : 'thread-shared'
    await audit.record({ userId, action, subject: row.id })
  }
  if (columns.is_personal_off < row.is_personal_off) {
    await audit.record({ userId, action: 'thread-personal-allowed', subject: row.id })
  }
  const now = new Set(await access.people('read', subjectOfThread({ ...row, ...columns })))
  for (const reader of readers) {
    if (!now.has(reader)) userHub.publish(reader, { type: 'thread-removed', threadId: row.id })
  }
  await events.emit('threads-listed', { workspaceIds: [columns.workspace_id, row.workspace_id] })
  await events.emit('inheritance-changed', {})
}
