import { z } from 'zod'

/** Roles in a workspace; what each allows is in the documentation. */
export const workspaceRoleSchema = z.enum(['owner', 'member', 'viewer']).meta({ id: 'WorkspaceRole' })
export type WorkspaceRole = z.infer<typeof workspaceRoleSchema>

/** See `Thread.allowed`. */
export const workspaceActionSchema = z.enum(['read', 'work', 'change', 'manage']).meta({ id: 'WorkspaceAction' })
export type WorkspaceAction = z.infer<typeof workspaceActionSchema>

/** A person who has a thread open. */
export const personPresentSchema = z.object({ userId: z.string(), isTyping: z.boolean() }).meta({ id: 'PersonPresent' })
export type PersonPresent = z.infer<typeof personPresentSchema>

/** `PUT /threads/{id}/presence`: what this person does in the thread. Without another report, they are gone after 25 s. */
export const reportPresenceSchema = z.strictObject({ isTyping: z.boolean(), isHere: z.boolean().default(true) })
export type ReportPresence = z.input<typeof reportPresenceSchema>

/** The others who have the thread open. */
export const presenceSchema = z.object({ people: z.array(personPresentSchema) }).meta({ id: 'Presence' })
export type Presence = z.infer<typeof presenceSchema>

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
