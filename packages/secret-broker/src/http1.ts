import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  request as startRequest,
} from 'node:http'
import type { Duplex } from 'node:stream'
import { secretRequestRefused } from './broker.errors.ts'
import { HostConnections } from './host-connections.ts'
import { type Refusal, refusalFor } from './refusal.logic.ts'
import { prepareBody } from './request-body.ts'
import { type HeaderPair, type RequestHead, readHttp1Head } from './request-head.logic.ts'
import { pass, stepsFor } from './response-body.ts'
import { headForSandbox, trailersForSandbox } from './response-head.logic.ts'
import { beginExchange, type OpenExchange, reportRefusal, type Session } from './session.ts'
import { hostOf } from './target.logic.ts'
import { unreachable } from './upstream.ts'
import { isWebSocket, serveWebSocket } from './websocket.ts'

/** Of a request and of a response: Node’s default is 16 KiB, and some hosts set many cookies. */
export const maxHeaderBytes = 64 * 1024
/** A client may wait so long between its requests. */
const idleTimeoutMs = 5 * 60_000

/** Serves HTTP/1 on the sandbox’s side of connections. */
export type Http1Server = {
  /** Resolves at the end of the connection. */
  serve(session: Session): Promise<void>
}

export function makeHttp1Server(): Http1Server {
  const sessions = new WeakMap<object, { session: Session; connections: HostConnections }>()
  const of = (request: IncomingMessage) => {
    const found = sessions.get(request.socket)
    if (found === undefined) throw new TypeError('A request came from an unknown connection.')
    return found
  }
  const server = createServer({
    maxHeaderSize: maxHeaderBytes,
    // Both are for slow clients of a server that is open to all; here one sandbox waits for itself.
    requestTimeout: 0,
    headersTimeout: 0,
    keepAliveTimeout: idleTimeoutMs,
    insecureHTTPParser: false,
    shouldUpgradeCallback: (request) => isWebSocket(request),
  })
  const respond = (request: IncomingMessage, response: ServerResponse) => {
    const { session, connections } = of(request)
    void serveRequest({ session, connections, request, response })
  }
  server.on('request', respond)
  server.on('checkContinue', respond)
  server.on('checkExpectation', respond)
  server.on('connect', (_, socket) => refuseRaw(socket, 'it is a CONNECT request'))
  server.on('upgrade', (request, socket, head) => {
    const { session, connections } = of(request)
    void serveWebSocket({ session, connections, request, socket, head })
  })
  server.on('clientError', (error: Error & { code?: string }, socket) =>
    refuseRaw(socket, `it is not HTTP (${error.code ?? 'unknown'})`),
  )
  return { serve: (session) => serveSession({ server, sessions, session }) }
}

async function serveSession(options: {
  server: Server
  sessions: WeakMap<object, { session: Session; connections: HostConnections }>
  session: Session
}): Promise<void> {
  const { server, sessions, session } = options
  const connections = new HostConnections(session)
  sessions.set(session.client, { session, connections })
  const ended = new Promise<void>((resolve) => session.client.once('close', () => resolve()))
  server.emit('connection', session.client)
  await ended
  connections.destroy()
}

type Serving = { session: Session; connections: HostConnections; request: IncomingMessage; response: ServerResponse }

async function serveRequest(serving: Serving): Promise<void> {
  const { session, connections, request } = serving
  let head: RequestHead | undefined
  let exchange: OpenExchange | undefined
  connections.begin()
  serving.response.on('error', () => undefined)
  try {
    head = readHttp1Head(
      {
        method: request.method ?? '',
        url: request.url ?? '',
        httpVersion: request.httpVersion,
        rawHeaders: request.rawHeaders,
      },
      session.target,
    )
    exchange = beginExchange(session, head)
    await forward({ ...serving, head, exchange })
  } catch (error) {
    const refusal = refusalFor(error)
    if (exchange !== undefined) exchange.report({ refused: refusal.error })
    else if (head !== undefined) reportRefusal(session, { error: refusal.error, head })
    refuse(serving, { refusal, isEnded: exchange?.isEnded === true || error instanceof ClosedInBetween })
  } finally {
    exchange?.close()
    connections.end()
  }
}

async function forward(serving: Serving & { head: RequestHead; exchange: OpenExchange }): Promise<void> {
  const { session, request, response, head, exchange } = serving
  const sendContinue = () => {
    if (head.expectsContinue) response.writeContinue()
  }
  const body = await prepareBody({ source: request, head, exchange, onCollect: sendContinue })
  const expects = head.expectsContinue && body.kind === 'stream'
  const upstream = startRequest({
    agent: serving.connections,
    method: head.method,
    path: exchange.inserted.path,
    setHost: false,
    headers: headersForHost({ session, exchange, body, expects }),
    maxHeaderSize: maxHeaderBytes,
  })
  const answer = Promise.withResolvers<IncomingMessage>()
  upstream.once('response', answer.resolve)
  upstream.on('error', answer.reject)
  // A client that left ends its request.
  response.once('close', () => upstream.destroy())
  exchange.onEnd(() => {
    upstream.destroy()
    session.client.destroy()
  })
  if (expects) upstream.once('continue', sendContinue)
  if (body.kind === 'whole') upstream.end(body.bytes)
  else if (body.kind === 'none') upstream.end()
  else {
    if (!expects) upstream.flushHeaders()
    // Not `pipeline`: it would destroy the request with the connection on which its refusal is still to be sent.
    body.through?.once('error', (error) => upstream.destroy(error))
    if (body.through === undefined) request.pipe(upstream)
    else request.pipe(body.through).pipe(upstream)
  }
  const incoming = await answer.promise.catch((error: unknown) => {
    upstream.destroy()
    if (upstream.reusedSocket && !refusalFor(error).isRefusal) throw new ClosedInBetween()
    throw refusalFor(error).isRefusal ? error : unreachable(session.target, error)
  })
  await passBack({ ...serving, incoming })
}

/** The host closed a connection that was kept, as the request arrived: the client’s is closed too, so that it tries again. */
class ClosedInBetween extends Error {}

function headersForHost(options: {
  session: Session
  exchange: OpenExchange
  body: { kind: 'none' | 'whole' | 'stream'; bytes?: Buffer; length?: number | 'unknown' }
  expects: boolean
}): string[] {
  const { session, exchange, body, expects } = options
  const pairs: HeaderPair[] = [
    ['host', hostOf(session.target)],
    ...exchange.inserted.headers,
    ['accept-encoding', 'identity'],
    ['connection', 'keep-alive'],
  ]
  if (body.kind === 'whole') pairs.push(['content-length', String(body.bytes?.length ?? 0)])
  if (body.kind === 'stream') {
    if (body.length === 'unknown') pairs.push(['transfer-encoding', 'chunked'])
    else pairs.push(['content-length', String(body.length)])
  }
  if (expects) pairs.push(['expect', '100-continue'])
  return pairs.flat()
}

async function passBack(serving: Serving & { exchange: OpenExchange; incoming: IncomingMessage }): Promise<void> {
  const { session, request, response, exchange, incoming } = serving
  const status = incoming.statusCode ?? 502
  const isEmpty = request.method === 'HEAD' || [204, 304].includes(status)
  const host = hostOf(session.target)
  const head = headForSandbox(incoming.rawHeaders, { echo: exchange.echo({ keepsLength: false }), host, isEmpty })
  exchange.report({ status })
  response.sendDate = false
  response.writeHead(status, head.headers.flat())
  // A short body usually follows immediately, and goes out together with the head.
  setImmediate(() => {
    if (!response.writableEnded && !response.destroyed) response.flushHeaders()
  })
  await pass({ source: incoming, steps: stepsFor(head, exchange), target: response })
  const trailers = trailersForSandbox(incoming.rawTrailers, exchange.echo({ keepsLength: false }))
  if (trailers.length > 0) response.addTrailers(trailers)
  response.end()
}

/** Sends a refusal, if no part of a response was sent; otherwise ends the connection, which says the same. */
function refuse({ session, request, response }: Serving, options: { refusal: Refusal; isEnded: boolean }): void {
  const { refusal, isEnded } = options
  if (!refusal.isRefusal && !isEnded) session.options.logger.debug({ err: refusal.error }, 'A brokered request failed')
  if (response.headersSent || response.destroyed || isEnded) {
    session.client.destroy()
    return
  }
  response.shouldKeepAlive = false
  response.writeHead(refusal.status, refusal.headers)
  response.end(request.method === 'HEAD' ? undefined : refusal.body)
  request.unpipe()
  request.on('error', () => undefined)
  request.resume()
}

/** Refuses what Node’s parser did not accept as a request. */
function refuseRaw(socket: Duplex, reason: string): void {
  if (!socket.writable) return void socket.destroy()
  const { status, headers, body } = refusalFor(secretRequestRefused({ host: 'this host', reason }))
  const lines = Object.entries({ ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} Bad Request\r\n${lines.join('')}\r\n${body}`)
}
