import { isWorkspaceRole, roleAllows, type WorkspaceAction, type WorkspaceRole } from '@threadbox/domain'
import type { WorkspaceStore } from './workspaces.store.ts'

/** What somebody wants to do something with: a workspace, a thread in one, or a thread outside of all. */
export type AccessSubject = { workspaceId: string | null; ownerId: string }

/**
 * The one place that decides who may do what with threads and workspaces, by the role of the person. Routes and use cases
 * ask it and never compare people themselves.
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
