import {
  type AuthProvider,
  type CallToolResult,
  Client,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import type { GuardedFetch } from './guarded-fetch.ts'
import { connectionFailureOf } from './mcp-failure.models.ts'
import type { RawTool } from './tool-list.models.ts'

/** Where a server is and how a request to it says who asks. */
export type ServerAddress = {
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
  close(): Promise<void>
}

export type SessionOptions = { fetch: GuardedFetch; timeoutSeconds: number; version: string }

/** A list that is longer than this has no purpose but to be long. */
const maxPages = 5
/** How long the server is given to hear that a session is over. */
const farewellMs = 2000

/** Opens a session. Throws as its methods do. */
export async function openSession(
  address: ServerAddress,
  options: SessionOptions & { signal: AbortSignal },
): Promise<McpSession> {
  const { timeoutSeconds } = options
  const broken = new AbortController()
  const redact = redactor(address.secrets)
  const client = makeClient(options.version)
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
  let isChanged = false
  client.setNotificationHandler('notifications/tools/list_changed', () => {
    isChanged = true
  })
  const attempt = async <Value>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<Value>) => {
    const limit = AbortSignal.any([signal, broken.signal, AbortSignal.timeout(timeoutSeconds * 1000)])
    try {
      return await abortable(work(limit), limit)
    } catch (error) {
      if (signal.aborted) throw signal.reason
      const reason: unknown = broken.signal.aborted ? broken.signal.reason : error
      throw connectionFailureOf(reason, { timeoutSeconds, redact }) ?? reason
    }
  }
  const timeout = timeoutSeconds * 1000
  try {
    await attempt(options.signal, (signal) => client.connect(transport, { signal, timeout }))
  } catch (error) {
    await client.close().catch(() => undefined)
    throw error
  }
  const version = client.getServerVersion()
  return {
    server: version === undefined ? null : serverOf(version, redact),
    list: (signal) =>
      attempt(signal, async (limit) => {
        isChanged = false
        return await listAll(client, { signal: limit, timeout })
      }),
    call: (tool, input, signal) =>
      attempt(signal, (limit) => client.callTool({ name: tool, arguments: input }, { signal: limit, timeout })),
    hasNewTools: () => isChanged,
    close: async () => {
      const farewell = transport.terminateSession().catch(() => undefined)
      await Promise.race([farewell, new Promise((resolve) => setTimeout(resolve, farewellMs).unref())])
      await client.close().catch(() => undefined)
    },
  }
}

function makeClient(version: string): Client {
  const client = new Client(
    { name: 'threadbox', version },
    {
      capabilities: {},
      versionNegotiation: { mode: 'auto' },
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

/** Ends with the signal also where the work itself does not look at it. */
async function abortable<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted()
  let onAbort: (() => void) | undefined
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(signal.reason as Error)
    signal.addEventListener('abort', onAbort, { once: true })
  })
  work.catch(() => undefined)
  try {
    return await Promise.race([work, aborted])
  } finally {
    if (onAbort !== undefined) signal.removeEventListener('abort', onAbort)
  }
}

/** Takes the secrets of a connection out of what its server says. */
export function redactor(secrets: Secrets): (text: string) => string {
  if (typeof secrets === 'function') return (text) => redactor(secrets())(text)
  const forms = secrets.flatMap((secret) => [secret, encodeURIComponent(secret)]).filter((form) => form.length >= 4)
  const sorted = [...new Set(forms)].sort((a, b) => b.length - a.length)
  return (text) => sorted.reduce((rest, form) => rest.replaceAll(form, '[secret]'), text)
}
