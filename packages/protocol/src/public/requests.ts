import { z } from 'zod'
import { attachmentSchema } from './entries.ts'
import { findingValuesSchema } from './finding-values.ts'
import { keyScopes } from './key-scopes.ts'
import { newPasswordSchema, personNameSchema } from './names.ts'
import { passkeyAssertionSchema } from './passkeys.ts'
import { personRoleSchema } from './people.ts'
import { sandboxLimitsSchema } from './sandbox.ts'
import { screenshotSchema } from './screenshot.ts'
import { setupSteps } from './setup-steps.ts'
import { threadSchema } from './thread.ts'

/** Longest message a person can send, in UTF-16 code units; longer text belongs in a file. */
export const maxMessageCharacters = 200_000

export const createThreadSchema = z.strictObject({
  title: z.string().min(1).max(200).optional(),
  workspaceId: z.string().max(64).nullable().optional(),
  /** In a workspace, only its creator sees it. */
  isPrivate: z.boolean().optional(),
  modelId: z.string().max(64).nullable().optional(),
})
export const updateThreadSchema = z.strictObject({
  title: z.string().trim().min(1).max(200).optional(),
  isPinned: z.boolean().optional(),
  /** Moves the thread; null removes it from its workspace. */
  workspaceId: z.string().max(64).nullable().optional(),
  /** In a workspace, only its creator sees it. Only its creator can make it private. */
  isPrivate: z.boolean().optional(),
  /** Lets a thread in which others could work before use its creator’s own secrets, Git credentials and connections again. */
  allowsPersonal: z.literal(true).optional(),
  modelId: z.string().max(64).nullable().optional(),
  /** Marks everything up to now as seen. */
  isRead: z.literal(true).optional(),
})
/** Formats of `GET /threads/{id}/export`. */
export const exportFormats = ['markdown', 'html', 'notebook'] as const
export type ExportFormat = (typeof exportFormats)[number]

export const threadPageSchema = z
  .object({ threads: z.array(threadSchema), next: z.string().nullable() })
  .meta({ id: 'ThreadPage' })

export const sendMessageSchema = z.strictObject({
  text: z.string().max(maxMessageCharacters),
  attachmentIds: z.array(z.string().max(64)).max(50).default([]),
  /** By the id of the attachment, which is an image in the message: where it was taken and what is under it. */
  screenshots: z.record(z.string().max(64), screenshotSchema).optional(),
  /**
   * What happens to a call that needs approval: the turn waits for a person, or, in unattended runs, the call is
   * denied.
   */
  approvals: z.enum(['ask', 'deny']).optional(),
  /** The same key sent twice is one message: makes a retry after a lost response safe. */
  key: z.string().min(8).max(64),
})
export const editMessageSchema = z.strictObject({ text: z.string().min(1).max(maxMessageCharacters) })
export const reorderQueueSchema = z.strictObject({ entryIds: z.array(z.string().max(64)).max(100) })
export const retryTurnSchema = z.strictObject({
  /** `retry` asks again from the last message; `continue` keeps the partial response and continues from it. */
  mode: z.enum(['retry', 'continue']),
  modelId: z.string().max(64).optional(),
})
export const messageAcceptedSchema = z
  .object({ entryId: z.string(), turnId: z.string() })
  .meta({ id: 'MessageAccepted' })
export const uploadedSchema = attachmentSchema

export const providerKinds = ['anthropic', 'openai', 'google', 'openai-compatible', 'ollama'] as const
export const modelConnectionSchema = z
  .object({
    id: z.string(),
    provider: z.enum(providerKinds),
    /** Display name. */
    name: z.string(),
    /** The provider’s own name of the model. */
    model: z.string(),
    baseUrl: z.string().nullable(),
    /** `environment`: the key comes from an environment variable of the server and is not stored. */
    keySource: z.enum(['stored', 'environment', 'none']),
    contextTokens: z.number().int().nullable(),
    supportsImages: z.boolean(),
    inputUsdPerMillion: z.number().nullable(),
    outputUsdPerMillion: z.number().nullable(),
    /** The prices, or one of them, were entered here. Otherwise they are list prices. */
    hasEnteredPrice: z.boolean().default(false),
    /** Models that take over when this one can’t respond, in this order. */
    fallbackIds: z.array(z.string()).default([]),
    isDefault: z.boolean(),
    createdAt: z.number().int(),
  })
  .meta({ id: 'ModelConnection' })
export type ModelConnection = z.infer<typeof modelConnectionSchema>

export const connectModelSchema = z.strictObject({
  provider: z.enum(providerKinds),
  name: z.string().trim().min(1).max(80).optional(),
  model: z.string().trim().min(1).max(200),
  baseUrl: z
    .url({ protocol: /^https?$/ })
    .max(500)
    .optional(),
  /** Encrypted at rest and never sent back. */
  apiKey: z.string().min(1).max(1000).optional(),
  contextTokens: z.number().int().min(1024).max(100_000_000).optional(),
  /** Null, or omitted: what is known about the model. Text-only models reject requests with images. */
  supportsImages: z.boolean().nullable().optional(),
  /** Null, or omitted: the list price, if there is one. */
  inputUsdPerMillion: z.number().min(0).max(10_000).nullable().optional(),
  outputUsdPerMillion: z.number().min(0).max(10_000).nullable().optional(),
  fallbackIds: z.array(z.string().min(1).max(64)).max(3).optional(),
  isDefault: z.boolean().optional(),
})
export const updateModelSchema = connectModelSchema.omit({ provider: true }).partial()
/** Result of one real call to the model. */
export const modelTestSchema = z
  .object({
    ok: z.boolean(),
    latencyMs: z.number().int(),
    reply: z.string().nullable(),
    failure: z.object({ code: z.string(), message: z.string(), remedy: z.string() }).nullable(),
  })
  .meta({ id: 'ModelTest' })
/** Found on this machine or provided by the environment, ready to be connected. */
export const discoveredModelSchema = z
  .object({
    provider: z.enum(providerKinds),
    model: z.string(),
    baseUrl: z.string().nullable(),
    source: z.enum(['machine', 'environment']),
  })
  .meta({ id: 'DiscoveredModel' })

/** The most workspaces to which one key can be limited. */
export const maxKeyWorkspaces = 200

export const apiKeySchema = z
  .object({
    id: z.string(),
    name: z.string(),
    prefix: z.string(),
    createdAt: z.number().int(),
    lastUsedAt: z.number().int().nullable(),
    expiresAt: z.number().int().nullable(),
    scopes: z.array(z.enum(keyScopes)),
    /** The workspaces to which the key is limited; null: it reaches all that its owner does. */
    workspaceIds: z.array(z.string()).nullable(),
    /** Calls in the last 30 days that the key was refused, by action, with the scope or kind of sender that it needs. */
    refused: z.array(
      z.object({
        action: z.string(),
        requirement: z.enum([...keyScopes, 'session', 'confirmed', 'nothing']),
        count: z.number().int(),
      }),
    ),
  })
  .meta({ id: 'ApiKey' })
export const createApiKeySchema = z.strictObject({
  name: z.string().trim().min(1).max(80),
  /** Omitted: 90 days. Null: the key doesn’t expire. */
  expiresInDays: z.number().int().min(1).max(3650).nullable().optional(),
  /** Omitted: `read`, `work`, `share`, `agents` and `workspace`. */
  scopes: z.array(z.enum(keyScopes)).min(1).max(keyScopes.length).optional(),
  /** Limits the key to these workspaces. Omitted or null: it reaches all that its owner does. */
  workspaceIds: z.array(z.string().min(1).max(64)).min(1).max(maxKeyWorkspaces).nullable().optional(),
})
export const createdApiKeySchema = apiKeySchema.extend({ secret: z.string() }).meta({ id: 'CreatedApiKey' })

export const meSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    email: z.string(),
    isOwner: z.boolean(),
    role: personRoleSchema,
    /** True: what the owner and admins do is refused until this person adds a passkey. */
    needsPasskey: z.boolean(),
  })
  .meta({ id: 'Me' })
export const setupStateSchema = z
  .object({
    ownerExists: z.boolean(),
    /** Whether the owner and admins can read threads that they aren’t in, with a reason. */
    adminsMayRead: z.boolean(),
    version: z.string(),
    isHostReachable: z.boolean(),
    /** What is still being prepared on the machine, in words; empty if sandboxes can start. */
    preparing: z.array(z.string()),
    /** The same in codes. */
    steps: z.array(z.enum(setupSteps)).optional(),
  })
  .meta({ id: 'SetupState' })

/** A check of the machine, with a fix if it is not `ok`. */
export const checkSchema = z
  .object({
    id: z.string(),
    status: z.enum(['ok', 'warning', 'failed', 'skipped']),
    title: z.string(),
    detail: z.string(),
    cure: z.string().nullable(),
    /** Permanent code of both texts, or of the error they are from, and the values in them. */
    code: z.string().optional(),
    values: findingValuesSchema.optional(),
  })
  .meta({ id: 'Check' })
export const statusSchema = z
  .object({
    version: z.string(),
    host: z
      .object({
        isReachable: z.boolean(),
        memoryTotalBytes: z.number().int(),
        memoryUsedBytes: z.number().int(),
        poolTotalBytes: z.number().int(),
        poolUsedBytes: z.number().int(),
        awakeSandboxes: z.number().int(),
      })
      .nullable(),
    checks: z.array(checkSchema),
    hasModel: z.boolean(),
  })
  .meta({ id: 'Status' })
export type Status = z.infer<typeof statusSchema>

export const settingSchema = z
  .object({
    name: z.string(),
    doc: z.string(),
    value: z.union([z.string(), z.number(), z.boolean(), z.null()]),
    default: z.union([z.string(), z.number(), z.boolean(), z.null()]),
    isEditable: z.boolean(),
  })
  .meta({ id: 'Setting' })
export const settingsSchema = z
  .object({ settings: z.array(settingSchema), limits: sandboxLimitsSchema })
  .meta({ id: 'Settings' })

export const searchHitSchema = z
  .object({
    threadId: z.string(),
    threadTitle: z.string(),
    entryId: z.string().nullable(),
    where: z.enum(['title', 'text', 'command', 'file']),
    excerpt: z.string(),
    at: z.number().int(),
  })
  .meta({ id: 'SearchHit' })

/** Body of `POST /auth/sign-up`: only for the first person, with the token that `up` printed. */
export const signUpSchema = z.strictObject({
  token: z.string().min(1).max(200),
  name: personNameSchema,
  email: z.email().max(254),
  password: newPasswordSchema,
})
/** `PATCH /me` */
export const updateMeSchema = z.strictObject({ name: personNameSchema })
/** `POST /auth/password`: also ends every other session of the user. */
export const changePasswordSchema = z.strictObject({
  currentPassword: z.string().min(1).max(128),
  newPassword: newPasswordSchema,
})
/** `POST /auth/cookies/clear` */
export const clearedCookiesSchema = z.object({ restoreToken: z.string() }).meta({ id: 'ClearedCookies' })
/** `POST /auth/cookies/restore` */
export const restoreCookiesSchema = z.strictObject({ token: z.string().min(1).max(100) })
/** `POST /auth/confirm`: the password, or what the browser returns for a passkey. */
export const confirmSchema = z
  .strictObject({
    password: z.string().min(1).max(128).optional(),
    assertion: passkeyAssertionSchema.optional(),
  })
  .refine(({ password, assertion }) => (password === undefined) !== (assertion === undefined), {
    message: 'must have a password or an assertion',
  })
export const signInSchema = z.strictObject({ email: z.email().max(254), password: z.string().min(1).max(128) })
/** A browser or device that is signed in. */
export const sessionSchema = z
  .object({
    id: z.string(),
    createdAt: z.number().int(),
    expiresAt: z.number().int(),
    userAgent: z.string().nullable(),
    isCurrent: z.boolean(),
  })
  .meta({ id: 'Session' })

/** Values by setting name; null restores the default. */
export const updateSettingsSchema = z.strictObject({
  settings: z.record(z.string().max(64), z.union([z.string().max(2000), z.number(), z.boolean(), z.null()])),
})
const auditValuesSchema = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
export const auditEventSchema = z
  .object({
    id: z.string(),
    at: z.number().int(),
    /** Null: the system itself. */
    userId: z.string().nullable(),
    action: z.string(),
    subject: z.string().nullable(),
    details: auditValuesSchema,
    /** Who did it: null in rows from before this was recorded. An API key’s `id` is the key’s. */
    actor: z.object({ kind: z.enum(['person', 'api-key', 'visitor', 'system']), id: z.string().nullable() }).nullable(),
    address: z.string().nullable(),
    requestId: z.string().nullable(),
    before: auditValuesSchema.nullable(),
    after: auditValuesSchema.nullable(),
    /** Place in the chain, and the hash that stands for this row and all before it. */
    number: z.number().int().nullable(),
    hash: z.string().nullable(),
  })
  .meta({ id: 'AuditEvent' })

export type CreateThread = z.input<typeof createThreadSchema>
export type UpdateThread = z.input<typeof updateThreadSchema>
export type ThreadPage = z.infer<typeof threadPageSchema>
export type SendMessage = z.input<typeof sendMessageSchema>
export type EditMessage = z.input<typeof editMessageSchema>
export type ReorderQueue = z.input<typeof reorderQueueSchema>
export type RetryTurn = z.input<typeof retryTurnSchema>
export type MessageAccepted = z.infer<typeof messageAcceptedSchema>
export type ProviderKind = (typeof providerKinds)[number]
export type ConnectModel = z.input<typeof connectModelSchema>
export type UpdateModel = z.input<typeof updateModelSchema>
export type ModelTest = z.infer<typeof modelTestSchema>
export type DiscoveredModel = z.infer<typeof discoveredModelSchema>
export type ApiKey = z.infer<typeof apiKeySchema>
export type CreateApiKey = z.input<typeof createApiKeySchema>
export type CreatedApiKey = z.infer<typeof createdApiKeySchema>
export type Me = z.infer<typeof meSchema>
export type SetupState = z.infer<typeof setupStateSchema>
export type SignUp = z.input<typeof signUpSchema>
export type UpdateMe = z.input<typeof updateMeSchema>
export type ClearedCookies = z.infer<typeof clearedCookiesSchema>
export type RestoreCookies = z.input<typeof restoreCookiesSchema>
export type Confirm = z.input<typeof confirmSchema>
export type ChangePassword = z.input<typeof changePasswordSchema>
export type SignIn = z.input<typeof signInSchema>
export type Session = z.infer<typeof sessionSchema>
export type Check = z.infer<typeof checkSchema>
export type Setting = z.infer<typeof settingSchema>
export type Settings = z.infer<typeof settingsSchema>
export type UpdateSettings = z.input<typeof updateSettingsSchema>
export type AuditEvent = z.infer<typeof auditEventSchema>
export type SearchHit = z.infer<typeof searchHitSchema>
