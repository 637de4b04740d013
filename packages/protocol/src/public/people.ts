import { z } from 'zod'
import { newPasswordSchema, personNameSchema } from './names.ts'

/** Roles in the installation. There is one owner. */
export const personRoleSchema = z.enum(['owner', 'admin', 'member']).meta({ id: 'PersonRole' })
export type PersonRole = z.infer<typeof personRoleSchema>

/** A person of the installation. */
export const personSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    role: personRoleSchema,
    isDisabled: z.boolean(),
    /** The account and everything that is theirs is being deleted. */
    isBeingErased: z.boolean(),
    /** Null for everyone but the owner, admins and the person. */
    email: z.string().nullable(),
  })
  .meta({ id: 'Person' })
export type Person = z.infer<typeof personSchema>

/** `GET /people`: by name. */
export const peopleSchema = z.object({ people: z.array(personSchema) }).meta({ id: 'People' })
export type People = z.infer<typeof peopleSchema>

/** `PATCH /people/{id}`: only what is given changes. */
export const updatePersonSchema = z.strictObject({
  role: z.enum(['admin', 'member']).optional(),
  /** Signs the person out everywhere. Their threads stay. */
  isDisabled: z.boolean().optional(),
})
export type UpdatePerson = z.input<typeof updatePersonSchema>

/** Longest lifetime of an invite, in days. */
export const maxInviteDays = 30
/** Most people who can join with one invite. */
export const maxInviteUses = 100

export const createInviteSchema = z.strictObject({
  role: z.enum(['admin', 'member']).optional(),
  /** Only a person with this address can join. */
  email: z.email().max(254).optional(),
  /** Workspaces that the person joins as a member. */
  workspaceIds: z.array(z.string().min(1).max(64)).max(50).optional(),
  /** How many people can join with it; omitted: one. */
  uses: z.number().int().min(1).max(maxInviteUses).optional(),
  /** Omitted: 7. */
  expiresInDays: z.number().int().min(1).max(maxInviteDays).optional(),
})
export type CreateInvite = z.input<typeof createInviteSchema>

/** An invite that can still be used. */
export const inviteSchema = z
  .object({
    id: z.string(),
    role: z.enum(['admin', 'member']),
    email: z.string().nullable(),
    workspaceIds: z.array(z.string()),
    usesLeft: z.number().int(),
    createdAt: z.number().int(),
    expiresAt: z.number().int(),
  })
  .meta({ id: 'Invite' })
export type Invite = z.infer<typeof inviteSchema>

export const invitesSchema = z.object({ invites: z.array(inviteSchema) }).meta({ id: 'Invites' })
export type Invites = z.infer<typeof invitesSchema>

/**
 * The path is returned only once. The secret is its fragment, which a browser sends to no server, and which opening the page
 * doesn’t use up.
 */
export const createdInviteSchema = inviteSchema.extend({ path: z.string() }).meta({ id: 'CreatedInvite' })
export type CreatedInvite = z.infer<typeof createdInviteSchema>

/** `POST /people/{id}/reset-link`: with it the person sets a new password, once, within a day. */
export const resetLinkSchema = z.object({ path: z.string(), expiresAt: z.number().int() }).meta({ id: 'ResetLink' })
export type ResetLink = z.infer<typeof resetLinkSchema>

const linkSecretSchema = z.string().min(1).max(100)

/** `POST /auth/link`: what a link is for. Uses nothing up. */
export const readLinkSchema = z.strictObject({ secret: linkSecretSchema })
export const linkSchema = z
  .object({ kind: z.enum(['invite', 'reset']), email: z.string().nullable(), expiresAt: z.number().int() })
  .meta({ id: 'SignInLink' })
export type SignInLink = z.infer<typeof linkSchema>

/** `POST /auth/join` */
export const joinSchema = z.strictObject({
  secret: linkSecretSchema,
  name: personNameSchema,
  email: z.email().max(254),
  password: newPasswordSchema,
})
export type Join = z.input<typeof joinSchema>

/** `POST /auth/reset`: sets a new password, and signs the person out everywhere else. */
export const resetPasswordSchema = z.strictObject({ secret: linkSecretSchema, password: newPasswordSchema })
export type ResetPassword = z.input<typeof resetPasswordSchema>
