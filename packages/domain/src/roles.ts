/** The roles in a workspace. Outside of workspaces, the creator of a thread is its owner. */
export const workspaceRoles = ['owner'] as const
export type WorkspaceRole = (typeof workspaceRoles)[number]

/**
 * Actions on a workspace and its threads. `read`: view; `work`: write, run, add and move threads; `manage`: name,
 * policy and instructions, archive, delete.
 */
export const workspaceActions = ['read', 'work', 'manage'] as const
export type WorkspaceAction = (typeof workspaceActions)[number]

const allowed: Record<WorkspaceRole, readonly WorkspaceAction[]> = { owner: workspaceActions }

/**
 * Whether a user with this role may do this. Without a role nothing is allowed, not even knowing that the workspace
 * exists.
 */
export function roleAllows(role: WorkspaceRole | undefined, action: WorkspaceAction): boolean {
  return role !== undefined && allowed[role].includes(action)
}

export function isWorkspaceRole(value: string): value is WorkspaceRole {
  return (workspaceRoles as readonly string[]).includes(value)
}
