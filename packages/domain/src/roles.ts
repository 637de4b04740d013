/** What a person can be in a workspace. A thread outside of all workspaces has its maker as its owner. */
export const workspaceRoles = ['owner'] as const
export type WorkspaceRole = (typeof workspaceRoles)[number]

/**
 * What can be done with a workspace and the threads in it. `read`: look, `work`: write, run, add and move threads,
 * `manage`: name, policy and instructions, archive, delete.
 */
export const workspaceActions = ['read', 'work', 'manage'] as const
export type WorkspaceAction = (typeof workspaceActions)[number]

const allowed: Record<WorkspaceRole, readonly WorkspaceAction[]> = { owner: workspaceActions }

/** Whether somebody with this role may do this. Without a role nothing may be done, not even known. */
export function roleAllows(role: WorkspaceRole | undefined, action: WorkspaceAction): boolean {
  return role !== undefined && allowed[role].includes(action)
}

export function isWorkspaceRole(value: string): value is WorkspaceRole {
  return (workspaceRoles as readonly string[]).includes(value)
}
