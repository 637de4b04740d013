import { Agent, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type ActiveBoot, trackConnection } from '../boots/active-boots.ts'
import { guestUnreachable, portClosed } from './gateway.errors.ts'
import { connectTimeoutMs, connectToService } from './service-connection.ts'
import { headersForClient, headersForSandbox, type Target } from './target.models.ts'

/** Connections to guests are used again; those to services are not, because a service may restart at any moment. */
const agents = new WeakMap<AbortSignal, Agent>()

/**
 * Passes one request to a sandbox and its answer back, both as they come: nothing is collected, and whoever reads
 * slowly slows down whoever writes. When one side goes away, the other side's connection is closed; when the boot ends,
 * both are. Rejects with an error for the client as long as nothing of an answer was sent.
 */
export async function forwardRequest(options: {
  request: IncomingMessage
  response: ServerResponse
  boot: ActiveBoot
  target: Target
}): Promise<void> {
  const { request, response, boot, target } = options
  const upstream = await openUpstream({ request, boot, target, isUpgrade: false })
  // Whoever asked may have gone while the connection was made.
  if (response.destroyed) return void upstream.destroy()
  const answer = Promise.withResolvers<IncomingMessage>()
  upstream.once('response', answer.resolve)
  // Stays: after an answer that came before the request was read to its end, writing the rest of it fails.
  upstream.on('error', answer.reject)
  const giveUp = () => {
    if (!request.complete || !response.writableFinished) upstream.destroy()
  }
  request.once('error', giveUp)
  response.once('close', giveUp)
  // Not `pipeline`: it would destroy the request with the connection on which its refusal is still to be sent.
  request.pipe(upstream)
  // Without this the head would wait for the first piece of the body, for which the client may wait to hear something.
  if (hasBody(request)) upstream.flushHeaders()
  const incoming = await answer.promise.catch((error: unknown) => {
    request.unpipe(upstream)
    throw failureOf({ error, boot, target })
  })
  response.writeHead(incoming.statusCode ?? 502, incoming.statusMessage, headersForClient(incoming.rawHeaders))
  response.flushHeaders()
  await pipeline(incoming, response)
}

/** Passes a WebSocket (or other upgrade) through, once the service has agreed to it; else its answer, as it is. */
export async function forwardUpgrade(options: {
  request: IncomingMessage
  socket: Duplex
  head: Buffer
  boot: ActiveBoot
  target: Target
}): Promise<void> {
  const { request, socket, head, boot, target } = options
  const upstream = await openUpstream({ request, boot, target, isUpgrade: true })
  if (socket.destroyed) return void upstream.destroy()
  const answer = Promise.withResolvers<{ incoming: IncomingMessage; peer?: Socket; peerHead?: Buffer }>()
  upstream.once('upgrade', (incoming, peer, peerHead) => answer.resolve({ incoming, peer, peerHead }))
  upstream.once('response', (incoming) => answer.resolve({ incoming }))
  upstream.once('error', answer.reject)
  socket.once('close', () => upstream.destroy())
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
  // The request's own signal has no hold on a connection that was upgraded.
  const { ended: signal } = boot
  await Promise.all([pipeline(socket, peer, { signal }), pipeline(peer, socket, { signal })])
}

function hasBody(request: IncomingMessage): boolean {
  return 'transfer-encoding' in request.headers || 'content-length' in request.headers
}

async function openUpstream(options: {
  request: IncomingMessage
  boot: ActiveBoot
  target: Target
  isUpgrade: boolean
}) {
  const { request, boot, target, isUpgrade } = options
  const service =
    target.kind === 'port'
      ? await connectToService(boot, target.port).catch((error: unknown) => {
          throw failureOf({ error, boot, target })
        })
      : undefined
  const upstream = httpRequest({
    ...(service === undefined
      ? { host: boot.address, port: target.port, agent: agentOf(boot) }
      : { createConnection: () => service }),
    method: request.method ?? 'GET',
    path: target.path,
    setHost: false,
    headers: headersForSandbox({
      rawHeaders: request.rawHeaders,
      target,
      accessToken: boot.accessToken,
      isUpgrade,
    }),
    signal: boot.ended,
  })
  upstream.setNoDelay(true)
  upstream.once('socket', (socket) => {
    trackConnection(boot, socket)
    limitConnect(socket, () => upstream.destroy(new Error('it took no connection')))
  })
  return upstream
}

function limitConnect(socket: Socket, fail: () => void): void {
  if (!socket.connecting) return
  const timer = setTimeout(fail, connectTimeoutMs)
  for (const event of ['connect', 'close']) socket.once(event, () => clearTimeout(timer))
}

function agentOf(boot: ActiveBoot): Agent {
  const known = agents.get(boot.ended)
  if (known !== undefined) return known
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 16 })
  agents.set(boot.ended, agent)
  boot.ended.addEventListener('abort', () => agent.destroy(), { once: true })
  return agent
}

/** What the client is told when there is no answer to pass on. */
function failureOf(options: { error: unknown; boot: ActiveBoot; target: Target }): unknown {
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
