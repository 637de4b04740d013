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
import { connectionFailureOf } from './mcp-failure.logic.ts'
import type { ProgramStart } from './program.logic.ts'
import { makeProgramTransport } from './program-transport.ts'
import type { Programs } from './programs.ts'
import type { RawTool } from './tool-list.logic.ts'

/** The server's address, or the program to run as the server. */
export type ServerAddress = HttpAddress | ProgramAddress

export type ProgramAddress = ProgramStart & { kind: 'program'; connectionId: string }

/** The server's URL and the credentials of requests to it. */
export type HttpAddress = {
  kind: 'http'
  url: string
  headers: Readonly<Record<string, string>>
  /** Supplies the access token of a sign-in, which changes. */
  auth?: AuthProvider
  secrets: Secrets
}

/** Secrets to remove from everything that a server sends. A function, if more secrets can become known later. */
export type Secrets = readonly string[] | (() => readonly string[])

/**
 * An open session with a server. Every method throws a `ThreadboxError` within the time limit, whatever the server
 * sends. After any error except `connection.request-refused` the session must be closed.
 */
export type McpSession = {
  server: { name: string; version: string } | null
  /** Reads all pages of the server's list; `isCut` if the list is longer than `maxPages`. */
  list(signal: AbortSignal): Promise<{ tools: RawTool[]; isCut: boolean }>
  call(tool: string, input: Record<string, unknown>, signal: AbortSignal): Promise<CallToolResult>
  /** Returns whether the server has announced a changed tool list since the last `list`. */
  hasNewTools(): boolean
  /** Returns whether the session is unusable. */
  hasEnded(): boolean
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
  /** Ends an unused session with the same program; false when there is none. */
  makeRoom(): boolean
}

/** A list with more pages than this is assumed to be long on purpose. */
const maxPages = 5
/** How long closing waits for the server to end the session. */
const closeTimeoutMs = 2000
/** Packages may have to be installed before a program responds for the first time. */
const startFactor = 2
/** A program that knows only the older protocol might not respond to the probe for the newer one. */
const probeMs = 10_000

/** Throws the same errors as the session's methods. */
export async function openSession(address: ServerAddress, options: OpenOptions): Promise<McpSession> {
  if (address.kind === 'http') return await connect(httpTransport(address, options), options)
  const { programs } = options
  try {
    return await openProgram(address, { ...options, mode: 'auto' })
  } catch (error) {
    // Programs with some older libraries exit on the probe for the newer protocol.
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
  const session = await connect(
    {
      transport,
      broken,
      redact,
      mode: options.mode,
      probeMs,
      connectSeconds: timeoutSeconds * startFactor,
      endSession: async () => undefined,
    },
    options,
  )
  isOpen = true
  programs.answered(address.connectionId)
  return session
}

/** Counts a program that fails to start against the restart limit, and no other failure of a start. */
function failedProgram(error: unknown, programs: Programs, address: ProgramAddress): unknown {
  const codes: string[] = [connectionProgramEnded.code, connectionProgramNotStarted.code]
  if (isThreadboxError(error) && codes.includes(error.code)) programs.failed(address.connectionId)
  else programs.answered(address.connectionId)
  return error
}

/** A prepared connection to a server. `broken` is aborted with the reason when the transport is no longer usable. */
type McpTransportPlan = {
  transport: Transport
  mode: 'auto' | 'legacy'
  /** How long the probe for the newer protocol waits for a response. */
  probeMs?: number
  broken: AbortController
  redact: (text: string) => string
  connectSeconds: number
  endSession(): Promise<void>
}

function httpTransport(address: HttpAddress, options: OpenOptions): McpTransportPlan {
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
  return { transport, broken, redact, mode: 'auto', connectSeconds, endSession: () => transport.terminateSession() }
}

async function connect(plan: McpTransportPlan, options: OpenOptions): Promise<McpSession> {
  const { timeoutSeconds } = options
  const { broken, redact, transport, connectSeconds } = plan
  const client = makeClient(options.version, plan)
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
    hasEnded: () => broken.signal.aborted,
    close: async () => {
      const ending = plan.endSession().catch(() => undefined)
      await waitAtMost(closeTimeoutMs, { work: ending })
      await client.close().catch(() => undefined)
    },
  }
}

function makeClient(version: string, { mode, ...plan }: Pick<McpTransportPlan, 'mode' | 'probeMs'>): Client {
  const client = new Client(
    { name: 'threadbox', version },
    {
      capabilities: {},
      versionNegotiation: plan.probeMs === undefined ? { mode } : { mode, probe: { timeoutMs: plan.probeMs } },
      // The server's output schemas are not relied on, and their patterns are not run.
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

/** Returns a function that replaces a connection's secrets in a server's text. */
export function redactor(secrets: Secrets): (text: string) => string {
  if (typeof secrets === 'function') return (text) => redactor(secrets())(text)
  const forms = secrets.flatMap((secret) => [secret, encodeURIComponent(secret)]).filter((form) => form.length >= 4)
  const sorted = [...new Set(forms)].sort((a, b) => b.length - a.length)
  return (text) => sorted.reduce((rest, form) => rest.replaceAll(form, '[secret]'), text)
}
