import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import {
  type CallToolResult,
  createMcpHandler,
  isLegacyRequest,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { LoginServer } from '../login-server/login-server.ts'

export type McpTestTool = {
  name: string
  title?: string
  description?: string
  inputSchema?: unknown
  annotations?: Record<string, unknown>
  answer(input: Record<string, unknown>, signal: AbortSignal): Promise<CallToolResult> | CallToolResult
}

/** An MCP server over streamable HTTP on loopback, built with the protocol’s own SDK, whose tools a test defines. */
export type McpTestServer = AsyncDisposable & {
  url: string
  /** Its tools; can be changed between requests. */
  tools: McpTestTool[]
  /** The token that it requires, if any. */
  token: string | null
  /** The OAuth server to sign in with, if any; its tokens are then accepted. */
  logins: LoginServer | null
  /** Calls that reached a tool. */
  calls: { tool: string; input: unknown }[]
  requests: { method: string; headers: Record<string, string>; body: string }[]
  /** Sessions that were opened and not ended. Servers of the newest protocol have none. */
  sessions: Set<string>
  /** Responds instead of the server, with anything. */
  answerInstead: ((request: { method: string; body: string }) => Response | Promise<Response> | undefined) | null
}

/** `newest`: the newest protocol, which has no sessions. `sessions`: the protocol before it. */
export async function startMcpServer(options: { protocol?: 'newest' | 'sessions' } = {}): Promise<McpTestServer> {
  const transports = new Map<string, WebStandardStreamableHTTPServerTransport>()
  const newest = createMcpHandler(() => serverOf(test), { keepAliveMs: 0 })

  async function answer(request: Request, body: string): Promise<Response> {
    const instead = await test.answerInstead?.({ method: request.method, body })
    if (instead !== undefined) return instead
    const refused = test.logins === null ? undefined : withoutLogin(request, test.logins)
    if (refused !== undefined) return refused
    if (test.token !== null && request.headers.get('authorization') !== `Bearer ${test.token}`) {
      return Response.json({ error: 'no' }, { status: 401 })
    }
    const isOlder = options.protocol === 'sessions'
    if (!isOlder) return await newest.fetch(request)
    if (!(await isLegacyRequest(request.clone()))) return Response.json({ error: 'unknown' }, { status: 400 })
    return await inSession(request)
  }

  async function inSession(request: Request): Promise<Response> {
    const id = request.headers.get('mcp-session-id')
    const known = id === null ? undefined : transports.get(id)
    if (known !== undefined) return await known.handleRequest(request)
    if (id !== null) return Response.json({ error: 'no such session' }, { status: 404 })
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sessionId) => {
        transports.set(sessionId, transport)
        test.sessions.add(sessionId)
      },
      onsessionclosed: (sessionId) => {
        transports.delete(sessionId)
        test.sessions.delete(sessionId)
      },
      keepAliveMs: 0,
    })
    await serverOf(test).connect(transport)
    return await transport.handleRequest(request)
  }

  const http = createServer((incoming, outgoing) => {
    void serve(incoming, outgoing).catch(() => outgoing.destroy())
  })
  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const pieces: Buffer[] = []
    for await (const piece of incoming as AsyncIterable<Buffer>) pieces.push(piece)
    const body = Buffer.concat(pieces).toString()
    const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)])
    const method = incoming.method ?? 'GET'
    test.requests.push({ method, headers: Object.fromEntries(headers), body })
    const left = new AbortController()
    outgoing.once('close', () => left.abort())
    const init = { method, headers, signal: left.signal, ...(body === '' ? {} : { body }) }
    const response = await answer(new Request(new URL(incoming.url ?? '/', test.url), init), body)
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    if (response.body === null) return void outgoing.end()
    const stream = Readable.fromWeb(response.body as never)
    stream.on('error', () => outgoing.destroy())
    outgoing.once('close', () => stream.destroy())
    stream.pipe(outgoing)
  }

  await new Promise<void>((resolve) => {
    http.listen(0, '127.0.0.1', resolve)
  })
  const test: McpTestServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    tools: [],
    token: null,
    logins: null,
    calls: [],
    requests: [],
    sessions: new Set(),
    answerInstead: null,
    [Symbol.asyncDispose]: async () => {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
  return test
}

/** The response to a request that is not signed in; undefined for one that is. */
function withoutLogin(request: Request, logins: LoginServer): Response | undefined {
  const { origin, pathname } = new URL(request.url)
  const described = '/.well-known/oauth-protected-resource/mcp'
  if (pathname === described) {
    return Response.json({ resource: `${origin}/mcp`, authorization_servers: [logins.issuer] })
  }
  if (logins.accepts(request.headers.get('authorization')?.replace('Bearer ', ''))) return undefined
  const headers = { 'www-authenticate': `Bearer resource_metadata="${origin}${described}"` }
  return Response.json({ error: 'invalid_token' }, { status: 401, headers })
}

function serverOf(test: McpTestServer): Server {
  const server = new Server(
    { name: 'test-tools', version: '1.2.3' },
    { capabilities: { tools: { listChanged: true } } },
  )
  server.setRequestHandler('tools/list', () => ({
    tools: test.tools.map(({ answer: _answer, inputSchema = { type: 'object' }, ...tool }) => {
      return { ...tool, inputSchema: inputSchema as { type: 'object' } }
    }),
  }))
  server.setRequestHandler('tools/call', async (request, context) => {
    const { name, arguments: input = {} } = request.params
    test.calls.push({ tool: name, input })
    const tool = test.tools.find((candidate) => candidate.name === name)
    if (tool === undefined) throw new Error(`there is no tool ${name}`)
    return await tool.answer(input, context.mcpReq.signal)
  })
  return server
}
