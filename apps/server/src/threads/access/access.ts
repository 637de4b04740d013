import { isWorkspaceRole, roleAllows, type WorkspaceAction, type WorkspaceRole } from '@threadbox/domain'
import { keyOutsideWorkspaces } from '../../people/public.ts'
import { actingCaller } from '../../platform/http/acting-request.ts'
import type { WorkspaceStore } from './workspaces.store.ts'

/** The subject of an action: a workspace, a thread in one, or a thread outside of all workspaces. */
export type AccessSubject = { workspaceId: string | null; ownerId: string }

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
  /** Whether the user’s role allows this, whatever the sender of the request reaches. */
  roleMay(userId: string, action: WorkspaceAction, subject: AccessSubject): Promise<boolean>
  /** The workspaces to which the sender of the request is limited; null if it isn’t. Lists contain nothing else. */
  reach(userId: string): readonly string[] | null
  /** Whether the sender reaches what is in this workspace, or in none. Roles are checked in addition. */
  reaches(userId: string, workspaceId: string | null): boolean
  /** Throws `auth.outside-workspaces` if the sender can put nothing outside of workspaces. */
  requireOutside(userId: string): void
}

export function makeAccess(options: { store: Pick<WorkspaceStore, 'role'> }): Access {
  const roleOf = async (userId: string, subject: AccessSubject): Promise<WorkspaceRole | undefined> => {
    if (subject.workspaceId === null) return subject.ownerId === userId ? 'owner' : undefined
    const role = await options.store.role(userId, subject.workspaceId)
    return role !== undefined && isWorkspaceRole(role) ? role : undefined
  }
  const roleMay: Access['roleMay'] = async (userId, action, subject) =>
    roleAllows(await roleOf(userId, subject), action)
  const reach = (userId: string) => {
    const caller = actingCaller()
    return caller?.userId === userId ? caller.workspaceIds : null
  }
  const reaches = (userId: string, workspaceId: string | null) => isWithinReach(reach(userId), workspaceId)
  return {
    roleMay,
    reach,
    reaches,
    may: async (userId, action, subject) =>
      reaches(userId, subject.workspaceId) && (await roleMay(userId, action, subject)),
    requireOutside: (userId) => {
      if (reach(userId) !== null) throw keyOutsideWorkspaces({})
    },
  }
}

export function isWithinReach(reach: readonly string[] | null, workspaceId: string | null): boolean {
  return reach === null || (workspaceId !== null && reach.includes(workspaceId))
}
