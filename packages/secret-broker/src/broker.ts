import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { secretNotUsableHere } from './broker.errors.ts'
import { type Exchanges, makeExchanges } from './exchanges.ts'
import { type Http1Server, makeHttp1Server } from './http1.ts'
import { serveHttp2 } from './http2.ts'
import { refusalFor } from './refusal.logic.ts'
import type { BrokeredConnection, BrokerOptions, Session } from './session.ts'
import { hostOf, type Target } from './target.logic.ts'
import { makeUpstream, type Protocol, type Upstream } from './upstream.ts'

/** A client has so long for its first byte, and then for the TLS handshake. */
const handshakeTimeoutMs = 10_000
/** From so many connections on, memory counts more than the time to open one. */
const crowd = 100
/** The first byte of a TLS connection: a record of the type “handshake”. */
const tlsHandshake = 0x16

/**
 * Serves connections of sandboxes to hosts that have secrets: reads each request, checks it, inserts the values of
 * granted secrets, and sends it on over verified TLS.
 */
export type Broker = {
  /** The certificate (PEM) that sandboxes must trust. */
  authority: string
  /** Resolves when the connection has ended. Never rejects because of what a sandbox or a host sends. */
  serve(connection: BrokeredConnection): Promise<void>
  /** Call after the grants of a sandbox changed: ends its requests that used one which is gone or differs. */
  grantsChanged(sandboxId: string): void
}

export function makeBroker(options: BrokerOptions): Broker {
  const exchanges = makeExchanges()
  const upstream = makeUpstream(options)
  const http1 = makeHttp1Server()
  let connections = 0
  const isCrowded = () => connections >= crowd
  const open = new Map<string, Set<BrokeredConnection>>()
  return {
    authority: options.authority.certificate,
    serve: async (connection) => {
      const ofSandbox = open.get(connection.sandboxId) ?? new Set()
      open.set(connection.sandboxId, ofSandbox.add(connection))
      connections++
      try {
        await serveConnection({ connection, options, exchanges, upstream, http1, isCrowded })
      } catch (error) {
        options.logger.debug({ err: error, sandboxId: connection.sandboxId }, 'A brokered connection failed')
      } finally {
        connection.socket.destroy()
        connections--
        ofSandbox.delete(connection)
        if (ofSandbox.size === 0) open.delete(connection.sandboxId)
      }
    },
    grantsChanged: (sandboxId) => {
      const [connection] = open.get(sandboxId) ?? []
      if (connection !== undefined) exchanges.endWithout(sandboxId, connection.grants() ?? [])
    },
  }
}

type Serving = {
  connection: BrokeredConnection
  options: BrokerOptions
  exchanges: Exchanges
  upstream: Upstream
  http1: Http1Server
  isCrowded(): boolean
}

async function serveConnection(serving: Serving): Promise<void> {
  const { connection, options, upstream, http1, exchanges } = serving
  const { socket, signal } = connection
  const ending = new AbortController()
  const end = () => {
    ending.abort()
    socket.destroy()
  }
  socket.on('error', end)
  socket.once('close', end)
  signal.addEventListener('abort', end)
  try {
    if (signal.aborted) return
    socket.setNoDelay(true)
    const target: Target = { name: connection.name, port: connection.port }
    if ((await firstByte(socket)) !== tlsHandshake) return await refusePlain(socket, target)
    const opened = await openFirst({ upstream, target, sandboxId: connection.sandboxId, signal: ending.signal })
    const client = await acceptTls(serving, opened.offered)
    const session: Session = {
      target,
      connection,
      client,
      serverName: typeof client.servername === 'string' ? client.servername.toLowerCase() : undefined,
      upstream,
      takeOpened: opened.take,
      exchanges,
      isCrowded: serving.isCrowded,
      options,
      ended: ending.signal,
    }
    if (client.alpnProtocol === 'h2') await serveHttp2(session)
    else await http1.serve(session)
  } finally {
    signal.removeEventListener('abort', end)
    end()
  }
}

/**
 * Both sides of a connection speak the same protocol, so no request is translated: the sandbox is offered HTTP/2 if the
 * host chose it. A host not asked lately is connected to before the sandbox gets a response.
 */
async function openFirst({
  upstream,
  target,
  sandboxId,
  signal,
}: {
  upstream: Upstream
  target: Target
  sandboxId: string
  signal: AbortSignal
}): Promise<{ offered: Protocol[]; take: Session['takeOpened'] }> {
  const known = upstream.protocolOf(target)
  if (known !== undefined) {
    return { offered: known === 'h2' ? ['h2', 'http/1.1'] : ['http/1.1'], take: () => undefined }
  }
  const opening = upstream.open(target, { sandboxId, protocols: ['h2', 'http/1.1'], signal })
  const chosen = await opening
    .then(({ alpnProtocol }) => (alpnProtocol === 'h2' ? 'h2' : 'http/1.1'))
    .catch(() => undefined)
  let isTaken = false
  return {
    offered: chosen === 'h2' ? ['h2', 'http/1.1'] : ['http/1.1'],
    take: (protocol) => {
      if (isTaken) return undefined
      isTaken = true
      // The first request gets the reason of a failure; the next tries again.
      if (chosen === undefined || chosen === protocol) return opening
      opening.then((unused) => unused.destroy()).catch(() => undefined)
      return undefined
    },
  }
}

async function acceptTls({ connection, options }: Serving, offered: readonly Protocol[]): Promise<TLSSocket> {
  const { socket, name } = connection
  const secureContext = await options.authority.contextFor(name)
  const accepted = Promise.withResolvers<TLSSocket>()
  const client = new TLSSocket(socket, {
    isServer: true,
    secureContext,
    ALPNProtocols: [...offered],
    // With any server name the certificate is that of the connection’s host; the requests are then refused.
    SNICallback: (_, done) => done(null, secureContext),
  })
  const timer = setTimeout(
    () => client.destroy(new Error('the client did not finish the handshake')),
    handshakeTimeoutMs,
  )
  client.once('secure', () => accepted.resolve(client))
  client.on('error', accepted.reject)
  client.once('close', () => accepted.reject(new Error('the client left')))
  try {
    return await accepted.promise
  } finally {
    clearTimeout(timer)
  }
}

/** Reads the first byte and puts it back; undefined if the connection ends without one. */
async function firstByte(socket: Socket): Promise<number | undefined> {
  const read = Promise.withResolvers<number | undefined>()
  const timer = setTimeout(() => read.resolve(undefined), handshakeTimeoutMs)
  const inspect = () => {
    const chunk: Buffer | null = socket.read()
    if (chunk === null) return
    // What is put back would be announced again.
    socket.off('readable', inspect)
    socket.unshift(chunk)
    read.resolve(chunk[0])
  }
  const end = () => read.resolve(undefined)
  socket.on('readable', inspect).once('end', end).once('close', end)
  inspect()
  try {
    return await read.promise
  } finally {
    clearTimeout(timer)
    socket.off('readable', inspect).off('end', end).off('close', end)
  }
}

/** Whatever a client sends without TLS has the same answer, so nothing of it is read. */
async function refusePlain(socket: Socket, target: Target): Promise<void> {
  const condition = 'the connection is not encrypted; use https'
  const { status, headers, body } = refusalFor(secretNotUsableHere({ secret: null, host: hostOf(target), condition }))
  const lines = Object.entries({ ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`)
  const ended = new Promise((resolve) => socket.once('close', resolve))
  socket.resume()
  socket.setTimeout(handshakeTimeoutMs, () => socket.destroy())
  socket.end(`HTTP/1.1 ${status} Forbidden\r\n${lines.join('')}\r\n${body}`)
  await ended
}
