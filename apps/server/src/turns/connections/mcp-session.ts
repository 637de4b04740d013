import {
  type AuthProvider,
  type CallToolResult,
  Client,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'
import { orAborted, waitAtMost } from '@threadbox/concurrency'
import { isThreadboxError } from '@threadbox/errors'
import type { GuardedFetch } from '../../platform/outbound/guarded-fetch.ts'
import { connectionProgramEnded, connectionProgramNotStarted } from './connections.errors.ts'
import { connectionFailureOf } from './mcp-failure.models.ts'
import type { ProgramStart } from './program.models.ts'
import { makeProgramTransport } from './program-transport.ts'
import type { Programs } from './programs.ts'
import type { RawTool } from './tool-list.models.ts'

/** Where a server is, or what is run to have one. */
export type ServerAddress = HttpAddress | ProgramAddress

export type ProgramAddress = ProgramStart & { kind: 'program'; connectionId: string }

/** Where a server is and how a request to it says who asks. */
export type HttpAddress = {
  kind: 'http'
  url: string
  headers: Readonly<Record<string, string>>
  /** Gives the token of a login, which changes. */
  auth?: AuthProvider
  secrets: Secrets
}

/** What is taken out of all that a server says. A function, where more may be known later. */
export type Secrets = readonly string[] | (() => readonly string[])

/**
 * One open session with a server. Every method throws an error of ours, within the time limit, whatever the server
 * sends; after one that is not `connection.request-refused` the session is to be closed.
 */
export type McpSession = {
  server: { name: string; version: string } | null
  /** Everything that the server lists, read in pages; `isCut` when it did not come to an end. */
  list(signal: AbortSignal): Promise<{ tools: RawTool[]; isCut: boolean }>
  call(tool: string, input: Record<string, unknown>, signal: AbortSignal): Promise<CallToolResult>
  /** The server said that its list of tools is another one. */
  hasNewTools(): boolean
  /** Nothing more can be asked in it. */
  isOver(): boolean
  close(): Promise<void>
}

export type SessionOptions = {
  fetch: GuardedFetch
  programs: Programs
  timeoutSeconds: number
  maxAnswerMebibytes: number
  version: string
}

type OpenOptions = SessionOptions & {
  signal: AbortSignal
  /** Ends a session with the same program that nobody uses now; false when there is none. */
  makeRoom(): boolean
}

/** A list that is longer than this has no purpose but to be long. */
const maxPages = 5
/** How long the server is given to hear that a session is over. */
const farewellMs = 2000
/** Packages may have to be installed before a program says its first word. */
const startFactor = 2
/** A program that knows only the older protocol may leave the question for the newer one without an answer. */
const probeMs = 10_000

/** Opens a session. Throws as its methods do. */
export async function openSession(address: ServerAddress, options: OpenOptions): Promise<McpSession> {
  if (address.kind === 'http') return await talk(httpRoad(address, options), options)
  const { programs } = options
  try {
    return await openProgram(address, { ...options, mode: 'auto' })
  } catch (error) {
    // Programs of some older libraries end when they are asked for the newer protocol.
    const hasEnded = isThreadboxError(error) && error.code === connectionProgramEnded.code
    if (!hasEnded || options.signal.aborted) throw failedProgram(error, programs, address)
  }
  try {
    return await openProgram(address, { ...options, mode: 'legacy' })
  } catch (error) {
    throw failedProgram(error, programs, address)
  }
}

async function openProgram(
  address: ProgramAddress,
  options: OpenOptions & { mode: 'auto' | 'legacy' },
): Promise<McpSession> {
  const { programs, maxAnswerMebibytes, timeoutSeconds } = options
  const broken = new AbortController()
  const redact = redactor(address.secrets)
  const program = await programs.start(address, options)
  let isOpen = false
  const onBroken = (error: Error) => {
    if (isOpen) programs.failed(address.connectionId)
    broken.abort(error)
  }
  const transport = makeProgramTransport({ program, maxAnswerMebibytes, redact, onBroken })
  const session = await talk(
    {
      transport,
      broken,
      redact,
      mode: options.mode,
      probeMs,
      connectSeconds: timeoutSeconds * startFactor,
      sayFarewell: async () => undefined,
    },
    options,
  )
  isOpen = true
  programs.answered(address.connectionId)
  return session
}

/** What counts against starting a program again: that it does not come up. */
function failedProgram(error: unknown, programs: Programs, address: ProgramAddress): unknown {
  const codes: string[] = [connectionProgramEnded.code, connectionProgramNotStarted.code]
  if (isThreadboxError(error) && codes.includes(error.code)) programs.failed(address.connectionId)
  else programs.answered(address.connectionId)
  return error
}

/** A way to a server, not used yet. `broken` is aborted with the reason when it cannot be used any more. */
type Road = {
  transport: Transport
  mode: 'auto' | 'legacy'
  /** How long the question for the newer protocol may stay without an answer. */
  probeMs?: number
  broken: AbortController
  redact: (text: string) => string
  connectSeconds: number
  sayFarewell(): Promise<void>
}

function httpRoad(address: HttpAddress, options: OpenOptions): Road {
  const broken = new AbortController()
  const transport = new StreamableHTTPClientTransport(new URL(address.url), {
    requestInit: { headers: { ...address.headers } },
    ...(address.auth && { authProvider: address.auth }),
    fetch: options.fetch.fetchFor({ onTooLarge: (error) => broken.abort(error) }),
    reconnectionOptions: {
      maxReconnectionDelay: 5000,
      initialReconnectionDelay: 1000,
      reconnectionDelayGrowFactor: 2,
      maxRetries: 1,
    },
  })
  const redact = redactor(address.secrets)
  const connectSeconds = options.timeoutSeconds
  return { transport, broken, redact, mode: 'auto', connectSeconds, sayFarewell: () => transport.terminateSession() }
}

async function talk(road: Road, options: OpenOptions): Promise<McpSession> {
  const { timeoutSeconds } = options
  const { broken, redact, transport, connectSeconds } = road
  const client = makeClient(options.version, road)
  let isChanged = false
  client.setNotificationHandler('notifications/tools/list_changed', () => {
    isChanged = true
  })
  const attempt = async <Value>(
    { signal, seconds = timeoutSeconds }: { signal: AbortSignal; seconds?: number },
    work: (signal: AbortSignal) => Promise<Value>,
  ) => {
    const limit = AbortSignal.any([signal, broken.signal, AbortSignal.timeout(seconds * 1000)])
    try {
      return await orAborted(work(limit), limit)
    } catch (error) {
      if (signal.aborted) throw signal.reason
      const reason: unknown = broken.signal.aborted ? broken.signal.reason : error
      throw connectionFailureOf(reason, { timeoutSeconds: seconds, redact }) ?? reason
    }
  }
  const timeout = timeoutSeconds * 1000
  try {
    const connecting = { signal: options.signal, seconds: connectSeconds }
    await attempt(connecting, (signal) => client.connect(transport, { signal, timeout: connectSeconds * 1000 }))
  } catch (error) {
    await client.close().catch(() => undefined)
    await transport.close().catch(() => undefined)
    throw error
  }
  const version = client.getServerVersion()
  return {
    server: version === undefined ? null : serverOf(version, redact),
    list: (signal) =>
      attempt({ signal }, async (limit) => {
        isChanged = false
        return await listAll(client, { signal: limit, timeout })
      }),
    call: (tool, input, signal) =>
      attempt({ signal }, (limit) => client.callTool({ name: tool, arguments: input }, { signal: limit, timeout })),
    hasNewTools: () => isChanged,
    isOver: () => broken.signal.aborted,
    close: async () => {
      const farewell = road.sayFarewell().catch(() => undefined)
      await waitAtMost(farewellMs, { work: farewell })
      await client.close().catch(() => undefined)
    },
  }
}

function makeClient(version: string, { mode, ...road }: Pick<Road, 'mode' | 'probeMs'>): Client {
  const client = new Client(
    { name: 'threadbox', version },
    {
      capabilities: {},
      versionNegotiation: road.probeMs === undefined ? { mode } : { mode, probe: { timeoutMs: road.probeMs } },
      // What a server promises of its answers is not relied on, and its patterns are not run.
      jsonSchemaValidator: {
        getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
      },
    },
  )
  client.onerror = () => undefined
  return client
}

async function listAll(
  client: Client,
  options: { signal: AbortSignal; timeout: number },
): Promise<{ tools: RawTool[]; isCut: boolean }> {
  if (client.getServerCapabilities()?.tools === undefined) return { tools: [], isCut: false }
  const tools: RawTool[] = []
  let cursor: string | undefined
  for (let page = 0; page < maxPages; page++) {
    const params = cursor === undefined ? {} : { cursor }
    const answer = await client.request({ method: 'tools/list', params }, options)
    tools.push(
      ...answer.tools.map(({ name, title, description, inputSchema, annotations }) => {
        return {
          name,
          title,
          description,
          inputSchema,
          annotations: annotations as Record<string, unknown> | undefined,
        }
      }),
    )
    cursor = answer.nextCursor
    if (cursor === undefined || cursor === '') return { tools, isCut: false }
  }
  return { tools, isCut: true }
}

function serverOf({ name, version }: { name: string; version: string }, redact: (text: string) => string) {
  return { name: redact(name.slice(0, 100)), version: redact(version.slice(0, 50)) }
}

/** Takes the secrets of a connection out of what its server says. */
export function redactor(secrets: Secrets): (text: string) => string {
  if (typeof secrets === 'function') return (text) => redactor(secrets())(text)
  const forms = secrets.flatMap((secret) => [secret, encodeURIComponent(secret)]).filter((form) => form.length >= 4)
  const sorted = [...new Set(forms)].sort((a, b) => b.length - a.length)
  return (text) => sorted.reduce((rest, form) => rest.replaceAll(form, '[secret]'), text)
}
