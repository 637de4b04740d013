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

/** What a connection may run: a program of its own sandbox, with the words it is started with. No shell reads them. */
const connectionProgramSchema = z.object({
  command: z.string(),
  args: z.array(z.string()),
  /** The value of a secret variable never comes back. */
  environment: z.array(z.object({ name: z.string(), value: z.string().nullable(), isSecret: z.boolean() })),
})
export type ConnectionProgram = z.infer<typeof connectionProgramSchema>

/** How far the start of a program is: its sandbox, then the program, which may install packages first. */
export const programPhases = ['sandbox', 'program'] as const
export type ProgramPhase = (typeof programPhases)[number]

export const connectionSchema = z
  .object({
    id: z.string(),
    /** Null: of the person, for all their threads. Else for all threads of this workspace. */
    workspaceId: z.string().nullable(),
    name: z.string(),
    /** The first part of the names of its tools. */
    slug: z.string(),
    /** `http`: a server at an address. `stdio`: a program that runs in a sandbox of the connection's own. */
    kind: z.enum(['http', 'stdio']),
    /** Empty for a program. */
    url: z.string(),
    /** Null for a server at an address. */
    program: connectionProgramSchema.nullable(),
    preset: z.string().nullable(),
    auth: z.object({ kind: z.enum(['none', 'bearer', 'header', 'oauth']), header: z.string().nullable() }),
    isEnabled: z.boolean(),
    /**
     * `failed`: the last look failed, `failure` says why; the tools are those that were seen before. `starting`: its
     * program is being started to be asked, which goes on without the request that began it.
     */
    status: z.enum(['unchecked', 'starting', 'ready', 'failed']),
    /** While `starting`. */
    phase: z.enum(programPhases).nullable(),
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

/** What a program can be given: everything but the character that ends a text. */
const programWord = z
  .string()
  .max(4000)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is the character that is meant.
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

/** A server at an address. Without `kind` it is one of these. */
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
 * A token belongs to the address it was entered for, and the secrets of a program to the program: with another one they
 * have to be entered again. `url` and `auth` are of servers at an address; `command`, `args` and `environment` of programs.
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
    needs: z.enum(['nothing', 'token', 'oauth', 'own-server', 'program']),
    /** What is run, for a server that is a program; the person enters the values of the variables. */
    program: connectionProgramSchema.nullable(),
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
