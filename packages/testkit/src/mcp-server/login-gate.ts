import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { LoginServer } from '../login-server/login-server.ts'

/** A proxy for an MCP server without authentication: it passes only requests with a token of an OAuth server. */
export type LoginGate = AsyncDisposable & {
  url: string
  /** The number of requests that were passed. */
  passed: number
}

export async function startLoginGate(options: { port: number; logins: LoginServer }): Promise<LoginGate> {
  const { port, logins } = options
  const described = '/.well-known/oauth-protected-resource/mcp'
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const origin = new URL(gate.url).origin
    const sendJson = (status: number, { body, headers = {} }: { body: unknown; headers?: Record<string, string> }) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
    }
    if (request.url === described) {
      return sendJson(200, { body: { resource: gate.url, authorization_servers: [logins.issuer] } })
    }
    if (!logins.accepts(request.headers.authorization?.replace('Bearer ', ''))) {
      const headers = { 'www-authenticate': `Bearer resource_metadata="${origin}${described}"` }
      return sendJson(401, { body: { error: 'invalid_token' }, headers })
    }
    gate.passed += 1
    const { authorization: _token, ...headers } = request.headers
    const { method, url: path } = request
    const upstream = httpRequest({ host: '127.0.0.1', port, path, method, headers, agent: false })
    upstream.on('response', (from) => {
      response.writeHead(from.statusCode ?? 502, from.headers)
      response.flushHeaders()
      from.pipe(response)
      from.on('error', () => response.destroy())
    })
    upstream.on('error', () => response.destroy())
    response.on('close', () => upstream.destroy())
    request.pipe(upstream)
  }
  const http = createServer(answer)
  await new Promise<void>((resolve) => {
    http.listen(0, '127.0.0.1', resolve)
  })
  const gate: LoginGate = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    passed: 0,
    [Symbol.asyncDispose]: async () => {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
  return gate
}
