import {
  isWorkspaceRole,
  roleAllows,
  type WorkspaceAction,
  type WorkspaceRole,
  workspaceActions,
} from '@threadbox/domain'
import { keyOutsideWorkspaces } from '../../people/public.ts'
import { actingCaller } from '../../platform/http/acting-request.ts'
import type { Openings } from './openings.ts'
import { roleMissing } from './workspaces.errors.ts'
import type { WorkspaceStore } from './workspaces.store.ts'

/**
 * The subject of an action: a workspace, or something in one or outside of all, with the person who created it. What is
 * private in a workspace is its creator’s only.
 */
export type AccessSubject = {
  workspaceId: string | null
  ownerId: string
  isPrivate: boolean
  /** The thread, if it is one: the owner or an admin may have opened it. */
  threadId?: string | undefined
}

/** The columns of a thread on which access to it depends. */
export type ThreadPlaceColumns = { id?: string; workspace_id: string | null; user_id: string; is_private: number }

export function subjectOfThread({ id, workspace_id, user_id, is_private }: ThreadPlaceColumns): AccessSubject {
  return { workspaceId: workspace_id, ownerId: user_id, isPrivate: is_private === 1, threadId: id }
}

/**
 * The only code that decides, by roles, who can do what with threads and workspaces. Routes and use cases call it and
 * never compare users themselves.
 */
export type Access = {
  /**
   * Whether the user may do this. For a request with a key that is limited to workspaces, nothing outside of them is
   * allowed, not even to know that it exists.
   */
  may(userId: string, action: WorkspaceAction, subject: AccessSubject): Promise<boolean>
  /**
   * Throws `notFound` if the user can’t see the subject, and `workspace.role-missing` if they can, but their role doesn’t
   * allow the action.
   */
  require(
    userId: string,
    action: WorkspaceAction,
    what: { subject: AccessSubject; notFound: () => Error },
  ): Promise<void>
  /** Whether the user’s role allows this, whatever the sender of the request reaches. */
  roleMay(userId: string, action: WorkspaceAction, subject: AccessSubject): Promise<boolean>
  /** The actions that the user’s role allows with each of these, for the buttons of the app. */
  allowed(userId: string, subjects: readonly AccessSubject[]): Promise<WorkspaceAction[][]>
  /** Everyone who can do this with it. */
  people(action: WorkspaceAction, subject: AccessSubject): Promise<string[]>
  /**
   * Whose own secrets, Git credentials and connections can be used in the thread: those of the only person who can work in
   * it, unless others could before and its creator has not allowed it again. Null: nothing of a person’s own.
   */
  personalOwner(thread: ThreadPlaceColumns & { is_personal_off: number }): Promise<string | null>
  /** The workspaces to which the sender of the request is limited; null if it isn’t. Lists contain nothing else. */
  reach(userId: string): readonly string[] | null
  /** Whether the sender reaches what is in this workspace, or in none. Roles are checked in addition. */
  reaches(userId: string, workspaceId: string | null): boolean
  /** Throws `auth.outside-workspaces` if the sender can put nothing outside of workspaces. */
  requireOutside(userId: string): void
}

export function makeAccess(options: {
  store: Pick<WorkspaceStore, 'role' | 'roles' | 'rolesOf'>
  openings?: Pick<Openings, 'mayRead'>
}): Access {
  const mayReadOpened = async (userId: string, { threadId }: AccessSubject) =>
    (await options.openings?.mayRead(userId, threadId)) ?? false
  const roleIn = (role: string | undefined, userId: string, { ownerId, isPrivate }: AccessSubject) =>
    role !== undefined && isWorkspaceRole(role) && (!isPrivate || ownerId === userId) ? role : undefined
  const roleOf = async (userId: string, subject: AccessSubject): Promise<WorkspaceRole | undefined> => {
    if (subject.workspaceId === null) return subject.ownerId === userId ? 'owner' : undefined
    return roleIn(await options.store.role(userId, subject.workspaceId), userId, subject)
  }
  const roleMay: Access['roleMay'] = async (userId, action, subject) =>
    roleAllows(await roleOf(userId, subject), action, subject.ownerId === userId)
  const reach = (userId: string) => {
    const caller = actingCaller()
    return caller?.userId === userId ? caller.workspaceIds : null
  }
  const reaches = (userId: string, workspaceId: string | null) => isWithinReach(reach(userId), workspaceId)
  const people: Access['people'] = async (action, subject) => {
    const { workspaceId, ownerId } = subject
    if (workspaceId === null) return [ownerId]
    const members = await options.store.roles(workspaceId)
    return members
      .filter(({ userId, role }) => roleAllows(roleIn(role, userId, subject), action, ownerId === userId))
      .map(({ userId }) => userId)
  }
  const may: Access['may'] = async (userId, action, subject) =>
    reaches(userId, subject.workspaceId) &&
    ((await roleMay(userId, action, subject)) || (action === 'read' && (await mayReadOpened(userId, subject))))
  return {
    may,
    roleMay,
    people,
    require: async (userId, action, { subject, notFound }) => {
      if (await may(userId, action, subject)) return
      if (action === 'read' || !(await may(userId, 'read', subject))) throw notFound()
      throw roleMissing({ action })
    },
    personalOwner: async (thread) => {
      if (thread.is_personal_off === 1) return null
      const [first, ...others] = await people('work', subjectOfThread(thread))
      return others.length === 0 ? (first ?? null) : null
    },
    reach,
    reaches,
    allowed: async (userId, subjects) => {
      const isAnyInside = subjects.some(({ workspaceId }) => workspaceId !== null)
      const roles = isAnyInside ? await options.store.rolesOf(userId) : new Map<string, string>()
      return subjects.map((subject) => {
        const isOwn = subject.ownerId === userId
        const inside = () => roleIn(roles.get(subject.workspaceId ?? ''), userId, subject)
        const role = subject.workspaceId === null ? (isOwn ? 'owner' : undefined) : inside()
        return workspaceActions.filter((action) => roleAllows(role, action, isOwn))
      })
    },
    requireOutside: (userId) => {
      if (reach(userId) !== null) throw keyOutsideWorkspaces({})
    },
  }
}

export function isWithinReach(reach: readonly string[] | null, workspaceId: string | null): boolean {
  return reach === null || (workspaceId !== null && reach.includes(workspaceId))
}
