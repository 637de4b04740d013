import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Action } from '@threadbox/domain'
import { httpStatusOf, toWireError } from '@threadbox/errors'
import type { Logger } from '@threadbox/telemetry'
import { type WebSocket, WebSocketServer } from 'ws'
import { actAs } from './acting-request.ts'
import type { Authorize } from './api.ts'
import { requireOwnOrigin } from './browser-guard.middleware.ts'
import type { Caller } from './caller.ts'
import { hostRefused } from './http.errors.ts'
import type { OpenVisits } from './open-visits.ts'
import { type AllowedHosts, makeHostCheck } from './origins.ts'

/** One kind of WebSocket of the app. */
export type SocketRoute = {
  /** The paths that belong to it. */
  path: RegExp
  /** What the sender must be allowed to do. */
  action: Action
  /** A longer message ends the socket (1009). */
  maxMessageBytes: number
  /**
   * Checks what the path names; throws to refuse. `pass` is the key by which the socket's right to stay open is
   * checked.
   */
  admit(request: SocketRequest): Promise<{ pass: string; serve: (peer: WebSocket) => void }>
  visits: OpenVisits
  /** The close code when the pass has ended. */
  signedOutCode: number
}

export type SocketRequest = {
  caller: Caller
  /** The matches of the groups of `path`. */
  names: readonly string[]
  query: URLSearchParams
}

/**
 * Accepts the app's WebSockets. Each one passes the same checks as a request that changes something: the app's name,
 * exactly the app's origin, a session or a key, then its route's checks. It is closed within 5 s when the session or
 * the key ends.
 */
export type SocketServer = {
  takesUpgrade(request: IncomingMessage): boolean
  handleUpgrade(handshake: Handshake): void
  /** Closes every socket; clients reconnect when a server is available again. */
  close(): void
}

export type SocketFrontDependencies = {
  routes: readonly SocketRoute[]
  hosts: AllowedHosts
  authenticate: (headers: Headers) => Promise<{ caller: Caller; authorize: Authorize }>
  logger: Logger
}

type Handshake = { request: IncomingMessage; socket: Duplex; head: Buffer }

export function makeSocketServer({ routes, hosts, authenticate, logger }: SocketFrontDependencies): SocketServer {
  const isOurName = makeHostCheck(hosts)
  const endpoints = routes.map((route) => ({ route, sockets: socketServerOf(route) }))
  const endpointOf = (request: IncomingMessage) => endpoints.find(({ route }) => route.path.test(pathOf(request)))
  const open = new Set<WebSocket>()
  const authenticated = async (request: IncomingMessage) => {
    const { headers } = request
    const host = headers.host ?? ''
    if (!isOurName(host)) throw hostRefused({ host: host.slice(0, 200) })
    requireOwnOrigin({
      origin: headers.origin,
      hostHeader: host,
      publicUrl: hosts.publicUrl,
      hasCookie: headers.cookie !== undefined,
      hasKey: headers.authorization !== undefined,
    })
    return await authenticate(headersOf(request))
  }
  const answer = async ({ request, socket, head }: Handshake, { route, sockets }: (typeof endpoints)[number]) => {
    const { caller, authorize } = await authenticated(request)
    await authorize(route.action)
    const [, ...names] = route.path.exec(pathOf(request)) ?? []
    const { pass, serve } = await actAs({ caller, action: route.action }, () =>
      route.admit({ caller, names, query: queryOf(request) }),
    )
    const visit = route.visits.follow(pass)
    socket.once('close', () => visit[Symbol.dispose]())
    if (socket.destroyed) return visit[Symbol.dispose]()
    sockets.handleUpgrade(request, socket, head, (peer) => {
      open.add(peer)
      peer.once('close', () => open.delete(peer))
      visit.signal.addEventListener('abort', () => closeSocket(peer, route.signedOutCode), { once: true })
      serve(peer)
    })
  }
  return {
    takesUpgrade: (request) =>
      request.headers.upgrade?.toLowerCase() === 'websocket' && endpointOf(request) !== undefined,
    handleUpgrade: (handshake) => {
      const { request, socket } = handshake
      const endpoint = endpointOf(request)
      // An error of the socket is followed by `close`; without a listener it would end the process.
      socket.on('error', () => socket.destroy())
      if (endpoint === undefined) return void socket.destroy()
      answer(handshake, endpoint).catch((error: unknown) => {
        logger.debug({ err: error }, 'a WebSocket was refused')
        refuse(socket, error)
      })
    },
    close: () => {
      for (const peer of open) closeSocket(peer, 1001)
      for (const { visits } of routes) visits.close()
    },
  }
}

/** Closes with a code, and terminates soon after, because the other side may no longer read. */
export function closeSocket(peer: WebSocket, code: number): void {
  peer.close(code)
  setTimeout(() => peer.terminate(), 500).unref()
}

function socketServerOf({ maxMessageBytes }: SocketRoute): WebSocketServer {
  return new WebSocketServer({ noServer: true, maxPayload: maxMessageBytes, perMessageDeflate: false })
}

function pathOf(request: IncomingMessage): string {
  return (request.url ?? '/').split('?')[0] ?? '/'
}

function queryOf(request: IncomingMessage): URLSearchParams {
  return new URL(request.url ?? '/', 'http://localhost').searchParams
}

function headersOf(request: IncomingMessage): Headers {
  const headers = new Headers()
  for (const name of ['cookie', 'authorization', 'host', 'origin', 'user-agent']) {
    const value = request.headers[name]
    if (typeof value === 'string') headers.set(name, value)
  }
  return headers
}

function refuse(socket: Duplex, error: unknown): void {
  if (socket.destroyed) return
  const body = JSON.stringify(toWireError(error))
  const head = `HTTP/1.1 ${httpStatusOf(error)} Refused\r\ncontent-type: application/json\r\ncache-control: no-store\r\n`
  socket.end(`${head}content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`)
}
