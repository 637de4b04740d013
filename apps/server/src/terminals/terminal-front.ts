import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { httpStatusOf, toWireError } from '@threadbox/errors'
import { terminalCloseCodes } from '@threadbox/protocol/public'
import type { Logger } from '@threadbox/telemetry'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Caller, OpenThread } from '../http/api.ts'
import { requireOwnOrigin } from '../http/browser-guard.middleware.ts'
import { hostRefused, requestInvalid } from '../http/http.errors.ts'
import type { OpenVisits } from '../http/open-visits.ts'
import { type AllowedHosts, makeHostCheck } from '../http/origins.ts'
import { type AuthenticationOptions, authenticateHeaders } from '../users/authentication.middleware.ts'
import { serveView } from './terminal-socket.ts'
import type { TerminalParts, Terminals } from './terminals.usecases.ts'

const socketPath = /^\/api\/v1\/threads\/([^/]{1,64})\/terminals\/([^/]{1,64})\/socket$/
/** Larger than any message that is allowed, with its escapes. */
const maxMessageBytes = 256 * 1024

/**
 * The door to terminals. A socket passes the same checks as a request that changes something: our name, exactly our
 * origin, a login or a key, a thread of this person; it is cut within 5 s when any of these ends.
 */
export type TerminalFront = {
  takesUpgrade(request: IncomingMessage): boolean
  handleUpgrade(options: { request: IncomingMessage; socket: Duplex; head: Buffer }): void
  /** Ends every view; they come back when a server is there again. */
  close(): void
}

export type TerminalFrontParts = {
  parts: TerminalParts
  terminals: Pick<Terminals, 'get'>
  hosts: AllowedHosts
  authentication: AuthenticationOptions
  open: OpenThread
  visits: OpenVisits
  logger: Logger
}

type Handshake = { request: IncomingMessage; socket: Duplex; head: Buffer }

export function makeTerminalFront(front: TerminalFrontParts): TerminalFront {
  const { parts, visits, logger } = front
  const isOurName = makeHostCheck(front.hosts)
  const sockets = new WebSocketServer({ noServer: true, maxPayload: maxMessageBytes, perMessageDeflate: false })
  const open = new Set<WebSocket>()
  const admit = async (request: IncomingMessage) => {
    const { headers } = request
    const host = headers.host ?? ''
    if (!isOurName(host)) throw hostRefused({ host: host.slice(0, 200) })
    requireOwnOrigin({
      ...{ origin: headers.origin, hostHeader: host, publicUrl: front.hosts.publicUrl },
      hasCookie: headers.cookie !== undefined,
      hasKey: headers.authorization !== undefined,
    })
    const { caller } = await authenticateHeaders(front.authentication, headersOf(request))
    const target = targetOf(request)
    await front.open(caller.userId, target.threadId)
    await front.terminals.get(target.threadId, target.terminalId)
    return { ...target, visit: visits.follow(visitorOf(caller, target.threadId)) }
  }
  const answer = async ({ request, socket, head }: Handshake) => {
    const { visit, ...target } = await admit(request)
    socket.once('close', () => visit[Symbol.dispose]())
    if (socket.destroyed) return visit[Symbol.dispose]()
    sockets.handleUpgrade(request, socket, head, (peer) => {
      open.add(peer)
      peer.once('close', () => open.delete(peer))
      visit.signal.addEventListener('abort', () => cut(peer, terminalCloseCodes.loggedOut), { once: true })
      serveView(parts, { peer, ...target, logger })
    })
  }
  return {
    takesUpgrade: (request) =>
      socketPath.test(pathOf(request)) && request.headers.upgrade?.toLowerCase() === 'websocket',
    handleUpgrade: ({ request, socket, head }) => {
      // An error of the socket is followed by its end; without a listener it would end the process.
      const onError = () => socket.destroy()
      socket.on('error', onError)
      answer({ request, socket, head }).catch((error: unknown) => {
        logger.debug({ err: error }, 'a socket of a terminal was refused')
        refuse(socket, error)
      })
    },
    close: () => {
      for (const peer of open) cut(peer, 1001)
      visits.close()
    },
  }
}

/** Says why, and does not wait for an answer: who is cut may not listen any more. */
function cut(peer: WebSocket, code: number): void {
  peer.close(code)
  setTimeout(() => peer.terminate(), 500).unref()
}

function pathOf(request: IncomingMessage): string {
  return (request.url ?? '/').split('?')[0] ?? '/'
}

function targetOf(request: IncomingMessage): { threadId: string; terminalId: string; after: number } {
  const [, threadId = '', terminalId = ''] = socketPath.exec(pathOf(request)) ?? []
  const after = new URL(request.url ?? '/', 'http://localhost').searchParams.get('after') ?? '0'
  if (!/^\d{1,15}$/.test(after)) throw requestInvalid({ problems: ['after: must be a whole number'] })
  return { threadId, terminalId, after: Number(after) }
}

/** Who looks, as the key under which open views are looked up again. */
export function visitorOf(caller: Caller, threadId: string): string {
  const { userId, sessionId, apiKeyId } = caller
  return JSON.stringify({ userId, sessionId, apiKeyId, threadId })
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
