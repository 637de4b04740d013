import { z } from 'zod'
import { workspaceRoleSchema } from './workspace-roles.ts'

/**
 * Who can join through a provider without an account. `closed`: only accounts that are connected already. `invited`:
 * people with an invite. `domains`: also addresses of these domains that the provider has verified. `group`: also people
 * in this group.
 */
export const joinRuleSchema = z.enum(['closed', 'invited', 'domains', 'group']).meta({ id: 'JoinRule' })
export type JoinRule = z.infer<typeof joinRuleSchema>

/** Most domains, and most mapped groups, of one provider. */
const maxProviderDomains = 50
const maxGroupMappings = 100

const groupNameSchema = z.string().trim().min(1).max(256)
const domainSchema = z
  .string()
  .trim()
  .toLowerCase()
  .max(253)
  .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/, 'must be a domain such as example.com')

export const providerJoinSchema = z
  .strictObject({
    rule: joinRuleSchema,
    /** With the rule `domains`. */
    domains: z.array(domainSchema).max(maxProviderDomains),
    /** With the rule `group`. */
    group: groupNameSchema.nullable(),
  })
  .meta({ id: 'ProviderJoin' })
export type ProviderJoin = z.infer<typeof providerJoinSchema>

/** What people in a group get, for as long as they are in it. */
export const groupMappingSchema = z
  .strictObject({
    group: groupNameSchema,
    role: z.enum(['admin', 'member']).nullable(),
    workspaceId: z.string().min(1).max(64).nullable(),
    workspaceRole: workspaceRoleSchema.nullable(),
    presetId: z.string().min(1).max(64).nullable(),
  })
  .meta({ id: 'GroupMapping' })
export type GroupMapping = z.infer<typeof groupMappingSchema>

export const providerGroupsSchema = z
  .strictObject({
    /** Where the groups are: a name, or a path such as `realm_access.roles`. Null: groups are not read. */
    claim: z.string().trim().min(1).max(256).nullable(),
    source: z.enum(['id-token', 'userinfo']),
    mappings: z.array(groupMappingSchema).max(maxGroupMappings),
  })
  .meta({ id: 'ProviderGroups' })
export type ProviderGroups = z.infer<typeof providerGroupsSchema>

const nameSchema = z.string().trim().min(1).max(60)
const clientIdSchema = z.string().trim().min(1).max(256)
const clientSecretSchema = z.string().min(1).max(1000)
const recheckHoursSchema = z.number().int().min(1).max(168)

/** How people sign in elsewhere (OpenID Connect). The client secret is never returned. */
export const signInProviderSchema = z
  .object({
    id: z.string(),
    /** On the button. */
    name: z.string(),
    issuer: z.string(),
    clientId: z.string(),
    hasClientSecret: z.boolean(),
    join: providerJoinSchema,
    groups: providerGroupsSchema,
    /** Connects a member’s account whose address the provider has verified. */
    linkByVerifiedEmail: z.boolean(),
    /** How often the provider is asked whether a person is still there. */
    recheckHours: z.number().int(),
    /** To enter at the provider. */
    addresses: z.object({ callback: z.string(), logout: z.string() }),
  })
  .meta({ id: 'SignInProvider' })
export type SignInProvider = z.infer<typeof signInProviderSchema>
export const signInProvidersSchema = z
  .object({ providers: z.array(signInProviderSchema) })
  .meta({ id: 'SignInProviders' })
export type SignInProviders = z.infer<typeof signInProvidersSchema>

export const createSignInProviderSchema = z.strictObject({
  name: nameSchema,
  issuer: z.url({ protocol: /^https?$/ }).max(500),
  clientId: clientIdSchema,
  clientSecret: clientSecretSchema.nullable().optional(),
  join: providerJoinSchema.optional(),
  groups: providerGroupsSchema.optional(),
  linkByVerifiedEmail: z.boolean().optional(),
  recheckHours: recheckHoursSchema.optional(),
})
export type CreateSignInProvider = z.input<typeof createSignInProviderSchema>

/** `PATCH /sign-in-providers/{id}`: only what is given changes. The issuer can’t: accounts belong to it. */
export const updateSignInProviderSchema = z.strictObject({
  name: nameSchema.optional(),
  clientId: clientIdSchema.optional(),
  /** Null removes it. */
  clientSecret: clientSecretSchema.nullable().optional(),
  join: providerJoinSchema.optional(),
  groups: providerGroupsSchema.optional(),
  linkByVerifiedEmail: z.boolean().optional(),
  recheckHours: recheckHoursSchema.optional(),
})
export type UpdateSignInProvider = z.input<typeof updateSignInProviderSchema>

/** What a test found out: the provider responds as it should. */
export const testedSignInProviderSchema = z
  .object({
    /** Whether sign-outs at the provider can end sessions here. */
    hasLogout: z.boolean(),
    algorithms: z.array(z.string()),
  })
  .meta({ id: 'TestedSignInProvider' })
export type TestedSignInProvider = z.infer<typeof testedSignInProviderSchema>

/** `GET /auth/providers`: the buttons of the sign-in page, and why a sign-in at a provider was refused. */
export const signInButtonsSchema = z
  .object({
    providers: z.array(z.object({ id: z.string(), name: z.string() })),
    /** What the code in the request means; null without one, or for an unknown one. */
    problem: z.object({ code: z.string(), message: z.string(), remedy: z.string() }).nullable(),
  })
  .meta({ id: 'SignInButtons' })
export type SignInButtons = z.infer<typeof signInButtonsSchema>

const providerIdSchema = z.string().min(1).max(64)
/** A page of the app to open afterwards, from its root: `/threads/t…`. */
const returnToSchema = z.string().min(1).max(2000)

/** `POST /auth/providers/start` */
export const startProviderSignInSchema = z.strictObject({
  providerId: providerIdSchema,
  returnTo: returnToSchema.optional(),
  /** The secret of an invite or a link for a new password that was opened in this browser. */
  secret: z.string().min(1).max(100).optional(),
})
export type StartProviderSignIn = z.input<typeof startProviderSignInSchema>

/** `POST /auth/identities`: starts connecting another way to sign in. */
export const connectIdentitySchema = z.strictObject({
  providerId: providerIdSchema,
  returnTo: returnToSchema.optional(),
})
export type ConnectIdentity = z.input<typeof connectIdentitySchema>

/** The address of the provider’s page, to open in the same browser within 10 minutes. */
export const startedProviderSignInSchema = z.object({ url: z.string() }).meta({ id: 'StartedProviderSignIn' })
export type StartedProviderSignIn = z.infer<typeof startedProviderSignInSchema>

/** An account at a provider with which the person signs in here. */
export const identitySchema = z
  .object({
    id: z.string(),
    providerId: z.string(),
    providerName: z.string(),
    email: z.string().nullable(),
    createdAt: z.number().int(),
    usedAt: z.number().int(),
  })
  .meta({ id: 'Identity' })
export type Identity = z.infer<typeof identitySchema>
export const identitiesSchema = z
  .object({ identities: z.array(identitySchema), hasPassword: z.boolean() })
  .meta({ id: 'Identities' })
export type Identities = z.infer<typeof identitiesSchema>
