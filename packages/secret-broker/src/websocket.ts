import type { IncomingMessage } from 'node:http'
import { request as startRequest } from 'node:http'
import type { Duplex } from 'node:stream'
import type { HostConnections } from './host-connections.ts'
import { refusalFor } from './refusal.logic.ts'
import { ReplacingStream } from './replacing-stream.ts'
import { type HeaderPair, type RequestHead, readHttp1Head } from './request-head.logic.ts'
import { pass, stepsFor } from './response-body.ts'
import { headForSandbox } from './response-head.logic.ts'
import { beginExchange, type OpenExchange, reportRefusal, type Session } from './session.ts'
import { hostOf } from './target.logic.ts'
import { unreachable } from './upstream.ts'

/** So long after the host’s end, the sandbox may read what came before. */
const closingMs = 10_000

/** Whether a request asks for a WebSocket. No other upgrade is made: its header is ignored. */
export function isWebSocket(request: IncomingMessage): boolean {
  return request.method === 'GET' && request.headers.upgrade?.toLowerCase() === 'websocket'
}

type Opening = {
  session: Session
  connections: HostConnections
  request: IncomingMessage
  socket: Duplex
  /** What the client sent after its handshake. */
  head: Buffer
}

/**
 * Opens a WebSocket. Placeholders are replaced in the handshake only. In what the host sends, values are replaced by
 * texts of the same length, so frames stay whole; a value that is split over two frames is not found.
 */
export async function serveWebSocket(opening: Opening): Promise<void> {
  const { session, request, socket } = opening
  socket.on('error', () => undefined)
  let head: RequestHead | undefined
  let exchange: OpenExchange | undefined
  try {
    const { method = '', url = '', httpVersion, rawHeaders } = request
    head = readHttp1Head({ method, url, httpVersion, rawHeaders }, session.target)
    exchange = beginExchange(session, head)
    await open({ ...opening, exchange })
  } catch (error) {
    const refusal = refusalFor(error)
    if (exchange !== undefined) exchange.report({ refused: refusal.error })
    else if (head !== undefined) reportRefusal(session, { error: refusal.error, head })
    if (!refusal.isRefusal || !socket.writable) socket.destroy()
    else
      socket.end(headText(refusal.status, Object.entries({ ...refusal.headers, connection: 'close' })) + refusal.body)
  } finally {
    exchange?.close()
  }
}

async function open(opening: Opening & { exchange: OpenExchange }): Promise<void> {
  const { session, socket, exchange } = opening
  const upstream = startRequest({
    agent: opening.connections,
    method: 'GET',
    path: exchange.inserted.path,
    setHost: false,
    headers: [
      ['host', hostOf(session.target)],
      // Without extensions, frames of the host are not compressed.
      ...exchange.inserted.headers.filter(([name]) => name !== 'sec-websocket-extensions'),
      ['connection', 'Upgrade'],
      ['upgrade', 'websocket'],
    ].flat(),
  })
  const answer = Promise.withResolvers<{ incoming: IncomingMessage; peer?: Duplex; peerHead?: Buffer }>()
  upstream.once('upgrade', (incoming, peer, peerHead) => answer.resolve({ incoming, peer, peerHead }))
  upstream.once('response', (incoming) => answer.resolve({ incoming }))
  upstream.on('error', answer.reject)
  socket.once('close', () => upstream.destroy())
  exchange.onEnd(() => {
    upstream.destroy()
    socket.destroy()
  })
  upstream.end()
  const { incoming, peer, peerHead } = await answer.promise.catch((error: unknown) => {
    throw refusalFor(error).isRefusal ? error : unreachable(session.target, error)
  })
  await answerWith({ ...opening, incoming, peer, peerHead })
}

async function answerWith(
  opened: Opening & {
    exchange: OpenExchange
    incoming: IncomingMessage
    peer: Duplex | undefined
    peerHead: Buffer | undefined
  },
): Promise<void> {
  const { session, socket, head, exchange, incoming, peer, peerHead } = opened
  const status = incoming.statusCode ?? 502
  const host = hostOf(session.target)
  const isEmpty = peer !== undefined
  const answer = headForSandbox(incoming.rawHeaders, { echo: exchange.echo({ keepsLength: false }), host, isEmpty })
  exchange.report({ status })
  if (peer === undefined) {
    socket.write(headText(status, [...answer.headers, ['connection', 'close']]))
    await pass({ source: incoming, steps: stepsFor(answer, exchange), target: socket })
    socket.end()
    return
  }
  const upgraded: HeaderPair[] = [...answer.headers, ['connection', 'Upgrade'], ['upgrade', 'websocket']]
  socket.write(headText(status, upgraded))
  if (head.length > 0) peer.write(head)
  const replacing = new ReplacingStream(exchange.echo({ keepsLength: true }))
  if (peerHead !== undefined && peerHead.length > 0) replacing.write(peerHead)
  await join({ socket, peer, replacing })
}

/** Passes bytes both ways until one side ends; what the host sent last still arrives. */
function join({
  socket,
  peer,
  replacing,
}: {
  socket: Duplex
  peer: Duplex
  replacing: ReplacingStream
}): Promise<void> {
  const ended = Promise.withResolvers<void>()
  const end = () => {
    for (const part of [socket, peer, replacing]) part.destroy()
    ended.resolve()
  }
  for (const part of [socket, peer, replacing]) part.on('error', end)
  socket.once('close', end)
  peer.once('close', () => {
    replacing.end()
    setTimeout(end, closingMs).unref()
  })
  socket.pipe(peer)
  peer.pipe(replacing).pipe(socket)
  return ended.promise
}

function headText(status: number, headers: readonly (readonly [string, string])[]): string {
  return `HTTP/1.1 ${status} \r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
}
