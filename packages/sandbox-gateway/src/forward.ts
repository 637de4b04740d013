import {
  Agent,
  type ClientRequestArgs,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { passBody } from '@threadbox/protocol/relay'
import { type OpenBoot, trackConnection } from './admitted-boots.ts'
import { guestUnreachable, portClosed } from './gateway.errors.ts'
import { connectTimeoutMs } from './service-connection.ts'
import { ServiceConnections } from './service-connections.ts'
import { headersForClient, headersForSandbox, type Target } from './target.logic.ts'

/** Connections are reused, each within its boot. */
type BootAgents = { guest: Agent; services: ServiceConnections }
const agents = new WeakMap<AbortSignal, BootAgents>()

type Forwarding = { request: IncomingMessage; response: ServerResponse; boot: OpenBoot; target: Target }

/**
 * Forwards a request to a sandbox and streams the response back: nothing is buffered, and a slow reader slows down the
 * writer. When one side disconnects, the other side's connection is closed; when the boot ends, both are. Rejects with
 * an error for the client as long as no part of a response was sent.
 */
export async function forwardRequest(forwarding: Forwarding): Promise<void> {
  const { request, response } = forwarding
  const mayRepeat = isRepeatable(request)
  const incoming = await ask(forwarding, { isNew: !mayRepeat }).catch((error: unknown) => {
    if (error instanceof StaleConnection) return ask(forwarding, { isNew: true })
    throw error
  })
  // The client can have disconnected since.
  if (incoming === undefined) return
  try {
    response.writeHead(incoming.statusCode ?? 502, incoming.statusMessage, headersForClient(incoming.rawHeaders))
  } catch (error) {
    incoming.destroy()
    throw failureOf({ error, ...forwarding })
  }
  response.flushHeaders()
  await passBody({ incoming, response })
}

/** A service closed an unused connection, and the request that was then sent over it was lost. */
class StaleConnection extends Error {}

async function ask(
  { request, response, boot, target }: Forwarding,
  { isNew }: { isNew: boolean },
): Promise<IncomingMessage | undefined> {
  const upstream = openUpstream({ request, boot, target, connection: isNew ? 'new' : 'kept' })
  const answer = Promise.withResolvers<IncomingMessage>()
  let readBefore = 0
  upstream.once('socket', (socket) => {
    readBefore = socket.bytesRead
  })
  upstream.once('response', answer.resolve)
  // Without a listener Node closes the connection, and no event says so.
  upstream.once('upgrade', (_incoming, socket) => {
    socket.destroy()
    answer.reject(new Error('it switched protocols without being asked'))
  })
  // Stays attached: after a response that came before the request was fully read, writing the rest of it fails.
  upstream.on('error', answer.reject)
  const abort = () => {
    if (!request.complete || !response.writableFinished) upstream.destroy()
  }
  request.once('error', abort)
  response.once('close', abort)
  if (response.destroyed) upstream.destroy()
  // Not `pipeline`: it would destroy the request with the connection on which its refusal is still to be sent.
  if (hasBody(request)) request.pipe(upstream)
  else upstream.end()
  // Without this the headers would wait for the first piece of the body, which the client may send only after a
  // response.
  if (hasBody(request)) upstream.flushHeaders()
  return await answer.promise.catch((error: unknown) => {
    request.unpipe(upstream)
    if (response.destroyed) return undefined
    const isUnread = upstream.reusedSocket && upstream.socket?.bytesRead === readBefore
    if (target.kind === 'port' && !isNew && isUnread && !boot.ended.aborted) throw new StaleConnection()
    throw failureOf({ error, boot, target })
  })
}

/** True if sending it twice has the same effect as once, and it is still available to send again. */
function isRepeatable(request: IncomingMessage): boolean {
  return ['GET', 'HEAD', 'OPTIONS'].includes(request.method ?? '') && !hasBody(request)
}

/** Forwards a WebSocket (or other upgrade) once the service has accepted it; otherwise its response, unchanged. */
export async function forwardUpgrade(options: {
  request: IncomingMessage
  socket: Duplex
  head: Buffer
  boot: OpenBoot
  target: Target
}): Promise<void> {
  const { request, socket, head, boot, target } = options
  const upstream = openUpstream({ request, boot, target, connection: 'upgraded' })
  const answer = Promise.withResolvers<{ incoming: IncomingMessage; peer?: Socket; peerHead?: Buffer }>()
  upstream.once('upgrade', (incoming, peer, peerHead) => answer.resolve({ incoming, peer, peerHead }))
  upstream.once('response', (incoming) => answer.resolve({ incoming }))
  upstream.once('error', answer.reject)
  socket.once('close', () => upstream.destroy())
  if (socket.destroyed) upstream.destroy()
  upstream.end()
  const { incoming, peer, peerHead } = await answer.promise.catch((error: unknown) => {
    throw failureOf({ error, boot, target })
  })
  if (peer === undefined) {
    socket.write(statusLine(incoming, [...headersForClient(incoming.rawHeaders), 'connection', 'close']))
    await pipeline(incoming, socket)
    return
  }
  const upgrade = incoming.headers.upgrade ?? ''
  socket.write(
    statusLine(incoming, [...headersForClient(incoming.rawHeaders), 'connection', 'Upgrade', 'upgrade', upgrade]),
  )
  if (peerHead !== undefined && peerHead.length > 0) socket.write(peerHead)
  if (head.length > 0) peer.write(head)
  peer.setNoDelay(true)
  peer.setTimeout(0)
  // The request's own signal does not affect an upgraded connection.
  const { ended: signal } = boot
  await Promise.all([pipeline(socket, peer, { signal }), pipeline(peer, socket, { signal })])
}

function hasBody(request: IncomingMessage): boolean {
  return 'transfer-encoding' in request.headers || 'content-length' in request.headers
}

function openUpstream(options: {
  request: IncomingMessage
  boot: OpenBoot
  target: Target
  /** A new connection to the service, one kept from an earlier request, or an upgraded one. */
  connection: 'new' | 'kept' | 'upgraded'
}) {
  const { request, boot, target, connection } = options
  const { guest, services } = agentsOf(boot)
  const upstream = httpRequest({
    host: boot.address,
    port: target.port,
    ...(target.kind !== 'port' ? { agent: guest } : connection === 'kept' ? { agent: services } : newTo(services)),
    method: request.method ?? 'GET',
    path: target.path,
    setHost: false,
    headers: headersForSandbox({
      rawHeaders: request.rawHeaders,
      target,
      accessToken: boot.accessToken,
      isUpgrade: connection === 'upgraded',
    }),
    signal: boot.ended,
  })
  upstream.setNoDelay(true)
  upstream.once('socket', (socket) => {
    trackConnection(boot, socket)
    limitConnect(socket, () => upstream.destroy(new Error('it took no connection')))
    if (target.kind === 'port' && !upstream.reusedSocket) services.yieldTo(upstream, target.port)
  })
  return upstream
}

function newTo(services: ServiceConnections) {
  return {
    createConnection: (options: ClientRequestArgs, made: (error: Error | null, socket: Duplex) => void) =>
      services.createConnection(options, made),
  }
}

function limitConnect(socket: Socket, fail: () => void): void {
  if (!socket.connecting) return
  const timer = setTimeout(fail, connectTimeoutMs)
  for (const event of ['connect', 'close']) socket.once(event, () => clearTimeout(timer))
}

function agentsOf(boot: OpenBoot): BootAgents {
  const known = agents.get(boot.ended)
  if (known !== undefined) return known
  const guest = new Agent({ keepAlive: true, maxFreeSockets: 16 })
  boot.ended.addEventListener('abort', () => guest.destroy(), { once: true })
  const made = { guest, services: new ServiceConnections(boot) }
  agents.set(boot.ended, made)
  return made
}

/**
 * Closes connections on which no request waits: a guest that was frozen closes those that were unused for too long as soon as
 * it continues, and a request would meet that.
 */
export function closeUnusedConnections({ ended }: OpenBoot): void {
  const known = agents.get(ended)
  if (known === undefined) return
  for (const { freeSockets } of [known.guest, known.services]) {
    for (const socket of Object.values(freeSockets).flat()) socket?.destroy()
  }
}

/** Returns the error for the client if no response can be forwarded. */
function failureOf(options: { error: unknown; boot: OpenBoot; target: Target }): unknown {
  const { error, boot, target } = options
  if (boot.ended.aborted) return boot.ended.reason
  const reason = error instanceof Error ? error.message : String(error)
  if (target.kind === 'port') return portClosed({ port: target.port, reason }, { cause: error })
  return guestUnreachable({ sandboxId: boot.sandboxId, reason }, { cause: error })
}

function statusLine(incoming: IncomingMessage, headers: string[]): string {
  let text = `HTTP/1.1 ${incoming.statusCode} ${incoming.statusMessage}\r\n`
  for (let index = 0; index + 1 < headers.length; index += 2) text += `${headers[index]}: ${headers[index + 1]}\r\n`
  return `${text}\r\n`
}
