import { z } from 'zod'

/** Roles in a workspace; what each allows is in the documentation. */
export const workspaceRoleSchema = z.enum(['owner', 'member', 'viewer']).meta({ id: 'WorkspaceRole' })
export type WorkspaceRole = z.infer<typeof workspaceRoleSchema>

/** See `Thread.allowed`. */
export const workspaceActionSchema = z.enum(['read', 'work', 'change', 'manage']).meta({ id: 'WorkspaceAction' })
export type WorkspaceAction = z.infer<typeof workspaceActionSchema>

/** A person in a workspace. */
export const workspaceMemberSchema = z
  .object({
    userId: z.string(),
    name: z.string(),
    role: workspaceRoleSchema,
    joinedAt: z.number().int(),
  })
  .meta({ id: 'WorkspaceMember' })
export type WorkspaceMember = z.infer<typeof workspaceMemberSchema>

/** `GET /workspaces/{id}/members`: owners first. */
export const workspaceMembersSchema = z
  .object({ members: z.array(workspaceMemberSchema) })
  .meta({ id: 'WorkspaceMembers' })
export type WorkspaceMembers = z.infer<typeof workspaceMembersSchema>

/** `PUT /workspaces/{id}/members/{userId}`. */
export const setMemberSchema = z.strictObject({ role: workspaceRoleSchema })
export type SetMember = z.infer<typeof setMemberSchema>
