import { z } from 'zod'

/** Whose a secret is: a person’s, a workspace’s or the installation’s. */
export const secretOwnerKinds = ['person', 'workspace', 'installation'] as const
export type SecretOwnerKind = (typeof secretOwnerKinds)[number]

/** Where in a request the placeholder is replaced by the value. */
export const secretPositions = ['header', 'query', 'body', 'path'] as const
export type SecretPosition = (typeof secretPositions)[number]

export const secretMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/**
 * How a thread has a secret. `brokered`: its sandbox has a placeholder, and only requests to the secret’s hosts get the
 * value. `direct`: its sandbox has the value itself, and everything in it can read it.
 */
export const secretWays = ['brokered', 'direct'] as const
export type SecretWay = (typeof secretWays)[number]

export const secretHeaderSchema = z.strictObject({
  name: z
    .string()
    .max(100)
    .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'must be the name of a header'),
  /** Text before the value, such as `Bearer `. */
  prefix: z
    .string()
    .max(100)
    .regex(/^[\x20-\x7e]*$/, 'must be printable characters'),
})
export type SecretHeader = z.infer<typeof secretHeaderSchema>

const secretThreadSchema = z.object({ id: z.string(), title: z.string(), way: z.enum(secretWays) })

export const secretSchema = z
  .object({
    id: z.string(),
    /** The environment variable in which programs find the placeholder. */
    name: z.string(),
    owner: z.enum(secretOwnerKinds),
    /** Of a workspace’s secret. */
    workspaceId: z.string().nullable(),
    /** Exact names, with a port unless it is 443. */
    hosts: z.array(z.string()),
    positions: z.array(z.enum(secretPositions)),
    /** Null: every method. */
    methods: z.array(z.string()).nullable(),
    pathPrefix: z.string().nullable(),
    /** A header that every request to the hosts gets, without a placeholder in it. */
    header: secretHeaderSchema.nullable(),
    /** The beginning of placeholders, so that programs that check a key’s form accept them. */
    placeholderPrefix: z.string(),
    /** Workspaces whose threads can use it. */
    workspaceIds: z.array(z.string()),
    /** The newest of the threads that can use it themselves, not through their workspace. */
    threads: z.array(secretThreadSchema),
    threadCount: z.number().int(),
    lastUsedAt: z.number().int().nullable(),
    /** When its value was entered. */
    valueSetAt: z.number().int(),
    createdAt: z.number().int(),
  })
  .meta({ id: 'Secret' })
export type Secret = z.infer<typeof secretSchema>
export const secretsSchema = z.object({ secrets: z.array(secretSchema) })

/** A secret in relation to a thread. */
export const threadSecretSchema = secretSchema
  .pick({ id: true, name: true, owner: true, hosts: true, lastUsedAt: true })
  .extend({
    /** How the thread itself has it; null: only through its workspace, or not. */
    way: z.enum(secretWays).nullable(),
    isGrantedByWorkspace: z.boolean(),
    /** Whether you can grant it to this thread. */
    canGrant: z.boolean(),
    /**
     * Why the grant isn’t in effect although it exists: `shared`: a personal secret, and other people can work in the
     * thread; `hidden`: another secret of this name is used instead.
     */
    obstacle: z.enum(['shared', 'hidden']).nullable(),
  })
  .meta({ id: 'ThreadSecret' })
export type ThreadSecret = z.infer<typeof threadSecretSchema>

export const threadSecretsSchema = z
  .object({
    secrets: z.array(threadSecretSchema),
    /** False while the broker hasn’t confirmed the thread’s present grants. */
    isInEffect: z.boolean(),
    /** Why, in codes: the broker can’t be reached, or the sandbox’s programs don’t have the variables yet. */
    problem: z.enum(['broker-unreachable', 'sandbox-unreachable', 'sandbox-too-old']).nullable(),
    /** When the thread’s sandbox first got the value of a secret itself; from then on, it can be anywhere in it. */
    taintedAt: z.number().int().nullable(),
  })
  .meta({ id: 'ThreadSecrets' })
export type ThreadSecrets = z.infer<typeof threadSecretsSchema>

const name = z.string().regex(/^[A-Z_][A-Z0-9_]{0,63}$/, 'must be capital letters, digits and underscores')
/** Checked by the use case, whose errors say what is wrong. */
const value = z.string().max(300_000)
const hosts = z.array(z.string().max(1_000_000)).min(1).max(20)
const positions = z.array(z.enum(secretPositions)).max(secretPositions.length)
const methods = z.array(z.enum(secretMethods)).min(1).max(secretMethods.length).nullable()
const pathPrefix = z
  .string()
  .max(1000)
  .regex(/^\/[\x21-\x22\x24-\x3e\x40-\x7e]*$/, 'must begin with / and have no spaces, ? or #')
  .nullable()
const placeholderPrefix = z.string().regex(/^[A-Za-z0-9_-]{0,16}$/, 'must be at most 16 letters, digits, _ or -')

const rules = {
  positions: positions.optional(),
  methods: methods.optional(),
  pathPrefix: pathPrefix.optional(),
  header: secretHeaderSchema.nullable().optional(),
  placeholderPrefix: placeholderPrefix.optional(),
}

export const createSecretSchema = z.strictObject({
  name,
  value,
  owner: z.enum(secretOwnerKinds).default('person'),
  /** Required for a workspace’s secret. */
  workspaceId: z.string().min(1).max(64).nullable().default(null),
  hosts,
  ...rules,
})
export type CreateSecret = z.input<typeof createSecretSchema>

/** Owner never changes. A new value replaces the old one everywhere. */
export const updateSecretSchema = z.strictObject({
  name: name.optional(),
  value: value.optional(),
  hosts: hosts.optional(),
  ...rules,
})
export type UpdateSecret = z.input<typeof updateSecretSchema>

export const grantSecretSchema = z.strictObject({ way: z.enum(secretWays).default('brokered') })
export type GrantSecret = z.input<typeof grantSecretSchema>
