import { isWorkspaceRole, roleAllows, type WorkspaceAction, type WorkspaceRole } from '@threadbox/domain'
import type { WorkspaceStore } from './workspaces.store.ts'

/** The subject of an action: a workspace, a thread in one, or a thread outside of all workspaces. */
export type AccessSubject = { workspaceId: string | null; ownerId: string }

/**
 * The only code that decides, by roles, who can do what with threads and workspaces. Routes and use cases call it and
 * never compare users themselves.
 */
export type Access = {
  may(userId: string, action: WorkspaceAction, subject: AccessSubject): Promise<boolean>
}

export function makeAccess(options: { store: Pick<WorkspaceStore, 'role'> }): Access {
  const roleOf = async (userId: string, subject: AccessSubject): Promise<WorkspaceRole | undefined> => {
    if (subject.workspaceId === null) return subject.ownerId === userId ? 'owner' : undefined
    const role = await options.store.role(userId, subject.workspaceId)
    return role !== undefined && isWorkspaceRole(role) ? role : undefined
  }
  return { may: async (userId, action, subject) => roleAllows(await roleOf(userId, subject), action) }
}
