import { once } from 'node:events'
import { performServerHandshake, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import { createServer, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { Authority } from '@threadbox/secret-broker'
import { makeTranscript, type Transcript } from './transcript.ts'
import { Valve } from './valve.ts'

/** A connection that arrived at a host. */
export type Arrived = {
  name: string
  socket: Socket
  /** Between the socket and TLS; stops what the host sends. */
  valve: Valve
  tls: TLSSocket
  /** What was sent to the host, without TLS. HTTP/2: the heads as lines of HTTP/1, and the bodies. */
  sent: Transcript
  /** Resolves when nothing more comes. */
  ended: Promise<unknown>
  /** Of HTTP/2: the request that arrived. */
  stream(): Promise<ServerHttp2Stream>
}

/** A TLS server on one address that records all that arrives, and responds only as a test says. */
export type RecordingHost = AsyncDisposable & {
  arrived: Arrived[]
  /** Resolves with the next connection. `allowed`: bytes that the host sends on it. */
  next(options?: { allowed?: number | undefined }): Promise<Arrived>
  /** Responds to each request on connections from here on. */
  respond(): void
}

export async function startRecordingHost(options: {
  name: string
  address: string
  authority: Authority
  isHttp2?: boolean
}): Promise<RecordingHost> {
  const { name, address, authority, isHttp2 = false } = options
  const context = await authority.contextFor(name)
  const arrived: Arrived[] = []
  let taker: ((connection: Arrived) => void) | undefined
  let allowed: number | undefined
  let responds = false
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const valve = new Valve(socket, allowed === undefined ? {} : { allowed })
    const tls = new TLSSocket(valve, {
      isServer: true,
      secureContext: context,
      ALPNProtocols: [isHttp2 ? 'h2' : 'http/1.1'],
    })
    tls.on('error', () => undefined)
    const connection = record({ name, socket, valve, tls, isHttp2 })
    arrived.push(connection)
    if (responds) tls.on('data', () => respondTo(connection))
    taker?.(connection)
    taker = undefined
    allowed = undefined
  })
  await once(server.listen(443, address), 'listening')
  return {
    arrived,
    next: async (given = {}) => {
      allowed = given.allowed
      responds = false
      const { promise, resolve } = Promise.withResolvers<Arrived>()
      taker = resolve
      return await promise
    },
    respond: () => {
      responds = true
    },
    [Symbol.asyncDispose]: async () => {
      for (const { socket } of arrived) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Resolves when everything that came was read. */
export function endOf(tls: TLSSocket): Promise<unknown> {
  return new Promise((resolve) => tls.once('end', resolve).once('close', resolve))
}

function respondTo({ tls, sent }: Arrived): void {
  if (sent.text().endsWith('\r\n\r\n')) tls.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok')
}

function record(given: Pick<Arrived, 'name' | 'socket' | 'valve' | 'tls'> & { isHttp2: boolean }): Arrived {
  const { isHttp2, ...connection } = given
  const sent = makeTranscript()
  const stream = Promise.withResolvers<ServerHttp2Stream>()
  const { tls } = connection
  const beginHttp2 = () => {
    recordHttp2(performServerHandshake(tls), { sent, onStream: stream.resolve })
    // What the session waits for, which only clients emit.
    tls.emit('secureConnect')
  }
  if (isHttp2) tls.once('secure', beginHttp2)
  else tls.on('data', (part: Buffer) => sent.add(part.toString('latin1')))
  return { ...connection, sent, ended: endOf(tls), stream: () => stream.promise }
}

function recordHttp2(
  session: ServerHttp2Session,
  { sent, onStream }: { sent: Transcript; onStream(stream: ServerHttp2Stream): void },
): void {
  session.on('error', () => undefined)
  session.on('stream', (stream, headers) => {
    const lines = Object.entries(headers).map(([header, value]) => `${header}: ${String(value)}\r\n`)
    sent.add(`${headers[':method']} ${headers[':path']} HTTP/2\r\n${lines.join('')}\r\n`)
    stream.on('error', () => undefined)
    stream.on('data', (part: Buffer) => sent.add(part.toString('latin1')))
    onStream(stream)
  })
}
