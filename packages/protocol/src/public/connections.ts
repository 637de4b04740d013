import { z } from 'zod'
import { jsonSchema } from './entries.ts'

/** Whether a tool of a connection may be used: always, after a person said so each time, or not at all. */
export const toolApprovals = ['allow', 'ask', 'off'] as const
export type ToolApproval = (typeof toolApprovals)[number]

const failureSchema = z.object({
  code: z.string(),
  message: z.string(),
  remedy: z.string(),
  /** What the words are about, for words in other languages. */
  details: z.record(z.string(), jsonSchema),
})

/** A tool as its server describes it. Every text in it is the server's and is shown as text only. */
export const connectionToolSchema = z
  .object({
    name: z.string(),
    /** What the agent calls it: `<connection>__<tool>`, unique among all tools. */
    agentName: z.string(),
    title: z.string().nullable(),
    description: z.string(),
    /** JSON schema of its input as the agent is given it; null when it cannot be offered. */
    input: jsonSchema,
    /** What the server says about it; nothing is decided by it. */
    claims: z.object({ isReadOnly: z.boolean().nullable(), isDestructive: z.boolean().nullable() }),
    approval: z.enum(toolApprovals),
    /** The server changed it after it was approved, so the approval is void until a person decides again. */
    isChanged: z.boolean(),
    /** Why it cannot be offered to the agent, in words; null when it can. */
    problem: z.string().nullable(),
  })
  .meta({ id: 'ConnectionTool' })
export type ConnectionTool = z.infer<typeof connectionToolSchema>

export const connectionSchema = z
  .object({
    id: z.string(),
    /** Null: of the person, for all their threads. Else for all threads of this workspace. */
    workspaceId: z.string().nullable(),
    name: z.string(),
    /** The first part of the names of its tools. */
    slug: z.string(),
    url: z.string(),
    preset: z.string().nullable(),
    auth: z.object({ kind: z.enum(['none', 'bearer', 'header', 'oauth']), header: z.string().nullable() }),
    isEnabled: z.boolean(),
    /** `failed`: the last look failed, `failure` says why; the tools are those that were seen before. */
    status: z.enum(['unchecked', 'ready', 'failed']),
    failure: failureSchema.nullable(),
    server: z.object({ name: z.string(), version: z.string() }).nullable(),
    checkedAt: z.number().int().nullable(),
    tools: z.array(connectionToolSchema),
    /** Tools that the server has beyond the most that one connection may have. */
    furtherTools: z.number().int(),
    createdAt: z.number().int(),
  })
  .meta({ id: 'Connection' })
export type Connection = z.infer<typeof connectionSchema>

/** Visible ASCII without spaces at the ends: what a header may carry. */
const secretValue = z
  .string()
  .min(1)
  .max(4000)
  .regex(/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/, 'must be printable characters without spaces at its ends')

/** The name of a header that no other part of the request needs. */
const headerName = z
  .string()
  .max(64)
  .regex(/^[A-Za-z][A-Za-z0-9-]*$/, 'must be the name of a header')
  .refine((name) => !reservedHeaders.has(name.toLowerCase()), 'is set by the protocol itself')

const reservedHeaders = new Set([
  ...['accept', 'accept-encoding', 'connection', 'content-length', 'content-type', 'host', 'keep-alive'],
  ...['mcp-protocol-version', 'mcp-session-id', 'mcp-method', 'mcp-name', 'last-event-id', 'expect', 'upgrade'],
  ...['te', 'trailer', 'transfer-encoding', 'proxy-authorization', 'cookie'],
])

export const connectionAuthSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('none') }),
  z.strictObject({ kind: z.literal('bearer'), token: secretValue }),
  z.strictObject({ kind: z.literal('header'), header: headerName, value: secretValue }),
  /** A login in the browser. `client`: one that was registered by hand, where a server takes no others. */
  z.strictObject({
    kind: z.literal('oauth'),
    client: z.strictObject({ id: secretValue, secret: secretValue.optional() }).optional(),
    scope: z
      .string()
      .max(1000)
      .regex(/^[\x21\x23-\x5b\x5d-\x7e]+( [\x21\x23-\x5b\x5d-\x7e]+)*$/, 'must be words, separated by single spaces')
      .optional(),
  }),
])
export type ConnectionAuth = z.infer<typeof connectionAuthSchema>

const connectionName = z.string().trim().min(1).max(60)
const connectionUrl = z.url({ protocol: /^https?$/ }).max(1000)

export const createConnectionSchema = z.strictObject({
  name: connectionName,
  url: connectionUrl,
  auth: connectionAuthSchema,
  workspaceId: z.string().max(64).nullable().optional(),
  preset: z.string().max(40).optional(),
})
export type CreateConnection = z.infer<typeof createConnectionSchema>

/** A token belongs to the address it was entered for: with another address it has to be entered again. */
export const updateConnectionSchema = z.strictObject({
  name: connectionName.optional(),
  url: connectionUrl.optional(),
  auth: connectionAuthSchema.optional(),
  isEnabled: z.boolean().optional(),
})
export type UpdateConnection = z.infer<typeof updateConnectionSchema>

/** Approvals by the server's own names of tools. */
export const updateConnectionToolsSchema = z.strictObject({
  tools: z.record(z.string().max(200), z.enum(toolApprovals)),
})

/** Where a person goes to log in at the server of a connection. */
export const connectionLoginSchema = z
  .object({
    authorizationUrl: z.string(),
    /** Whose page that is, for people to look at before they go there. */
    host: z.string(),
  })
  .meta({ id: 'ConnectionLogin' })
export type ConnectionLogin = z.infer<typeof connectionLoginSchema>

/** What the login server sent the person back with, as it stands in the address. */
export const finishLoginSchema = z.strictObject({
  state: z.string().min(1).max(200),
  code: z.string().min(1).max(4000).optional(),
  iss: z.string().max(1000).optional(),
  error: z.string().max(200).optional(),
  errorDescription: z.string().max(1000).optional(),
})
export type FinishLogin = z.infer<typeof finishLoginSchema>

/** A server that many people use, and what it takes to connect it. */
export const connectionPresetSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    /** Null: there is none for everybody; a person runs one and enters its address. */
    url: z.string().nullable(),
    needs: z.enum(['nothing', 'token', 'oauth', 'own-server']),
    /** Where the token is made. */
    tokenUrl: z.string().nullable(),
    /** The header that takes the token, where it is not `Authorization: Bearer`. */
    header: z.string().nullable(),
  })
  .meta({ id: 'ConnectionPreset' })
export type ConnectionPreset = z.infer<typeof connectionPresetSchema>

/** What a person says about a call that waits for them. `always` also allows the tool from now on. */
export const callDecisions = ['allow', 'always', 'deny'] as const
export type CallDecision = (typeof callDecisions)[number]
export const decideCallSchema = z.strictObject({ decision: z.enum(callDecisions) })
