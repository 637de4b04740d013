import { z } from 'zod'
import { jsonSchema } from './entries.ts'

/** Whether a tool of a connection can be used: always, after a person approves each call, or not at all. */
export const toolApprovals = ['allow', 'ask', 'off'] as const
export type ToolApproval = (typeof toolApprovals)[number]

const failureSchema = z.object({
  code: z.string(),
  message: z.string(),
  remedy: z.string(),
  /** Values for the message in other languages. */
  details: z.record(z.string(), jsonSchema),
})

/** A tool as its server describes it. All text in it is the server’s and is shown as text only. */
export const connectionToolSchema = z
  .object({
    name: z.string(),
    /** The agent’s name for it: `<connection>__<tool>`, unique among all tools. */
    agentName: z.string(),
    title: z.string().nullable(),
    description: z.string(),
    /** JSON schema of its input as the agent gets it; null if the tool can’t be offered. */
    input: jsonSchema,
    /** The server’s own claims; threadbox decides nothing by them. */
    claims: z.object({ isReadOnly: z.boolean().nullable(), isDestructive: z.boolean().nullable() }),
    approval: z.enum(toolApprovals),
    /** The server changed it after it was approved, so the approval is void until a person decides again. */
    isChanged: z.boolean(),
    /** Why it can’t be offered to the agent, as a sentence; null if it can. */
    problem: z.string().nullable(),
  })
  .meta({ id: 'ConnectionTool' })
export type ConnectionTool = z.infer<typeof connectionToolSchema>

/** The program of a connection: a program in its own sandbox, with its arguments. No shell reads them. */
const connectionProgramSchema = z.object({
  command: z.string(),
  args: z.array(z.string()),
  /** The value of a secret variable is never returned. */
  environment: z.array(z.object({ name: z.string(), value: z.string().nullable(), isSecret: z.boolean() })),
})
export type ConnectionProgram = z.infer<typeof connectionProgramSchema>

/** Start-up phases of a program: its sandbox, then the program, which can install packages first. */
export const programPhases = ['sandbox', 'program'] as const
export type ProgramPhase = (typeof programPhases)[number]

export const connectionSchema = z
  .object({
    id: z.string(),
    /** Null: the user’s own, for all their threads. Otherwise for all threads of this workspace. */
    workspaceId: z.string().nullable(),
    name: z.string(),
    /** First part of its tools’ names. */
    slug: z.string(),
    /** `http`: a server at an address. `stdio`: a program that runs in the connection’s own sandbox. */
    kind: z.enum(['http', 'stdio']),
    /** Empty for a program. */
    url: z.string(),
    /** Null for a server at an address. */
    program: connectionProgramSchema.nullable(),
    preset: z.string().nullable(),
    auth: z.object({ kind: z.enum(['none', 'bearer', 'header', 'oauth']), header: z.string().nullable() }),
    isEnabled: z.boolean(),
    /**
     * `failed`: the last check failed, `failure` says why; the tools are from the last successful check. `starting`:
     * its program is being started for a check, which continues even if the request that began it ends.
     */
    status: z.enum(['unchecked', 'starting', 'ready', 'failed']),
    /** While `starting`. */
    phase: z.enum(programPhases).nullable(),
    failure: failureSchema.nullable(),
    server: z.object({ name: z.string(), version: z.string() }).nullable(),
    checkedAt: z.number().int().nullable(),
    tools: z.array(connectionToolSchema),
    /** Number of the server’s tools beyond the limit of one connection. */
    furtherTools: z.number().int(),
    createdAt: z.number().int(),
  })
  .meta({ id: 'Connection' })
export type Connection = z.infer<typeof connectionSchema>

/** Visible ASCII without spaces at the ends: the values that a header can carry. */
const secretValue = z
  .string()
  .min(1)
  .max(4000)
  .regex(/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/, 'must be printable characters without spaces at its ends')

/** A header name that no other part of the request needs. */
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
  /** OAuth in the browser. `client`: one that was registered by hand, for a server that accepts no others. */
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

/** Any argument of a program: every character but the one that ends a string in C. */
const programWord = z
  .string()
  .max(4000)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the NUL character is meant.
  .regex(/^[^\u0000]*$/, 'must not contain a NUL character')

const programCommand = programWord.min(1).max(500)
const programArguments = z.array(programWord).max(50)
const programEnvironment = z
  .array(
    z.strictObject({
      name: z
        .string()
        .max(128)
        .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of a variable'),
      value: programWord,
      isSecret: z.boolean(),
    }),
  )
  .max(50)
  .refine((variables) => new Set(variables.map(({ name }) => name)).size === variables.length, {
    message: 'must name each variable once',
  })

const connectionPlace = {
  workspaceId: z.string().max(64).nullable().optional(),
  preset: z.string().max(40).optional(),
}

/** A server at an address. The default without `kind`. */
export const createHttpConnectionSchema = z.strictObject({
  kind: z.literal('http').optional(),
  name: connectionName,
  url: connectionUrl,
  auth: connectionAuthSchema,
  ...connectionPlace,
})
export type CreateHttpConnection = z.infer<typeof createHttpConnectionSchema>

/** A program that speaks MCP over its standard input and output. */
export const createStdioConnectionSchema = z.strictObject({
  kind: z.literal('stdio'),
  name: connectionName,
  command: programCommand,
  args: programArguments,
  environment: programEnvironment,
  ...connectionPlace,
})
export type CreateStdioConnection = z.infer<typeof createStdioConnectionSchema>

export const createConnectionSchema = z.discriminatedUnion('kind', [
  createHttpConnectionSchema,
  createStdioConnectionSchema,
])
export type CreateConnection = z.infer<typeof createConnectionSchema>

/**
 * A token belongs to the address it was entered for, and a program’s secrets to the program: with another one they have
 * to be entered again. `url` and `auth` are for servers at an address; `command`, `args` and `environment` for
 * programs.
 */
export const updateConnectionSchema = z.strictObject({
  name: connectionName.optional(),
  url: connectionUrl.optional(),
  auth: connectionAuthSchema.optional(),
  command: programCommand.optional(),
  args: programArguments.optional(),
  environment: programEnvironment.optional(),
  isEnabled: z.boolean().optional(),
})
export type UpdateConnection = z.infer<typeof updateConnectionSchema>

/** Approvals by the server’s own tool names. */
export const updateConnectionToolsSchema = z.strictObject({
  tools: z.record(z.string().max(200), z.enum(toolApprovals)),
})

/** Where a person signs in to the MCP server. */
export const connectionLoginSchema = z
  .object({
    authorizationUrl: z.string(),
    /** The host of that page, shown to people before they open it. */
    host: z.string(),
  })
  .meta({ id: 'ConnectionLogin' })
export type ConnectionLogin = z.infer<typeof connectionLoginSchema>

/** Parameters with which the authorization server redirected the person back, unchanged. */
export const finishLoginSchema = z.strictObject({
  state: z.string().min(1).max(200),
  code: z.string().min(1).max(4000).optional(),
  iss: z.string().max(1000).optional(),
  error: z.string().max(200).optional(),
  errorDescription: z.string().max(1000).optional(),
})
export type FinishLogin = z.infer<typeof finishLoginSchema>

/** A popular server, and what it takes to connect it. */
export const connectionPresetSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    /** Null: there is no shared one; a person runs one and enters its address. */
    url: z.string().nullable(),
    needs: z.enum(['nothing', 'token', 'oauth', 'own-server', 'program']),
    /** The program to run, if the server is a program; the person enters the values of the variables. */
    program: connectionProgramSchema.nullable(),
    /** Where to create the token. */
    tokenUrl: z.string().nullable(),
    /** The header for the token, if it is not `Authorization: Bearer`. */
    header: z.string().nullable(),
  })
  .meta({ id: 'ConnectionPreset' })
export type ConnectionPreset = z.infer<typeof connectionPresetSchema>

/** A person’s decision about a call that is waiting for approval. `always` also allows the tool from now on. */
export const callDecisions = ['allow', 'always', 'deny'] as const
export type CallDecision = (typeof callDecisions)[number]
export const decideCallSchema = z.strictObject({ decision: z.enum(callDecisions) })
