import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { RequestListener, Server } from 'node:http'
import { createSecureServer, type Http2SecureServer, type ServerHttp2Stream } from 'node:http2'
import { createServer as createHttps } from 'node:https'
import { type AddressInfo, connect, createServer as createTcp, type Socket, type Server as TcpServer } from 'node:net'
import { type ConnectionOptions, type TLSSocket, connect as tlsConnect } from 'node:tls'
import type { Grant } from '@threadbox/protocol/egress'
import { makeLogger } from '@threadbox/telemetry'
import { type Authority, createAuthorityFiles, makeAuthority } from './authority.ts'
import { type Broker, makeBroker } from './broker.ts'
import type { SecretUse } from './session.ts'

export const hostName = 'api.example.test'
const clock = Date.now

/** A value and its placeholder, of the same length. */
export function newGrant(change: Partial<Grant> = {}): Grant {
  return {
    secretId: 'sec_1',
    name: 'TOKEN',
    placeholder: `ghp_tbx${randomBytes(12).toString('hex')}`,
    value: `ghp_${randomBytes(13).toString('base64url').slice(0, 14)}+/${randomBytes(6).toString('hex').slice(0, 11)}`,
    hosts: [hostName],
    positions: ['header'],
    methods: null,
    pathPrefix: null,
    header: null,
    ...change,
  }
}

export type TestHost = AsyncDisposable & { port: number; sockets: Set<Socket> }

/** A TLS server of the test authority on loopback. */
export async function startHost(options: {
  authority: Authority
  name?: string
  http1?: RequestListener
  http2?(stream: ServerHttp2Stream, headers: Record<string, string>): void
  /** A certificate and key instead of those of the authority. */
  certificate?: { cert: string; key: string }
  onServer?(server: Server | Http2SecureServer): void
}): Promise<TestHost> {
  const context = await options.authority.contextFor(options.name ?? hostName)
  const SNICallback = (_: string, done: (error: null, context: unknown) => void) => done(null, context)
  const tls = options.certificate ?? { SNICallback: SNICallback as never }
  const listener: RequestListener = options.http1 ?? ((_, response) => void response.end())
  const server: Server | Http2SecureServer =
    options.http2 === undefined
      ? createHttps({ ...tls, maxHeaderSize: 128 * 1024 }, listener)
      : createSecureServer({ ...tls, allowHTTP1: true }, options.http1 === undefined ? undefined : (listener as never))
  if (options.http2 !== undefined) server.on('stream', options.http2 as never)
  options.onServer?.(server)
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    sockets,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export type BrokerUnderTest = AsyncDisposable & {
  broker: Broker
  /** Where a sandbox connects to. */
  port: number
  /** PEM of the certificate that the sandbox trusts. */
  trusted: string
  uses: SecretUse[]
  log: string[]
  /** Replaces the grants of the sandbox. */
  setGrants(grants: readonly Grant[] | undefined): void
  /** How many connections to hosts were opened. */
  opened: number
  /** Resolves when all connections are done. */
  served(): Promise<void>
  signal: AbortController
  /** A TLS connection of the sandbox. */
  open(options?: ConnectionOptions): Promise<TLSSocket>
}

export type Authorities = {
  ofHosts: Authority
  ofSandboxes: Authority
  /** The one of hosts, whose leaves ended yesterday. */
  expired: Authority
}

/** Two authorities: the one of hosts, and that of an installation. */
export async function makeAuthorities(): Promise<Authorities> {
  const files = await createAuthorityFiles({ subject: 'hosts', clock })
  const ofHosts = await makeAuthority(files, { clock })
  const expired = await makeAuthority(files, { clock: () => clock() - 8 * 24 * 60 * 60 * 1000 })
  const ofSandboxes = await makeAuthority(await createAuthorityFiles({ subject: 'threadbox', clock }), { clock })
  return { ofHosts, expired, ofSandboxes }
}

/** A broker in front of one host, behind a listener that plays the relay. */
export async function startBroker(options: {
  ofHosts: Authority
  ofSandboxes: Authority
  /** The port of the host, whatever the sandbox asked for. */
  hostPort: number | (() => number)
  grants?: readonly Grant[]
  name?: string
  /** The port that the sandbox meant. */
  port?: number
  /** Reads this much before it hands the socket over, and puts it back. */
  readsFirst?: boolean
  trustsHosts?: boolean
}): Promise<BrokerUnderTest> {
  let grants: readonly Grant[] | undefined = options.grants ?? []
  const uses: SecretUse[] = []
  const log: string[] = []
  const signal = new AbortController()
  const result = { opened: 0 }
  const broker = makeBroker({
    authority: options.ofSandboxes,
    connect: async () => {
      result.opened++
      const port = typeof options.hostPort === 'number' ? options.hostPort : options.hostPort()
      const socket = connect(port, '127.0.0.1')
      await once(socket, 'connect')
      return socket
    },
    machineCertificates: options.ofSandboxes.certificate,
    ...(options.trustsHosts === false ? {} : { extraCertificates: options.ofHosts.certificate }),
    onUsed: (use) => void uses.push(use),
    logger: makeLogger({ process: 'test', level: 'debug', destination: { write: (line) => void log.push(line) } }),
    clock,
  })
  const serving = new Set<Promise<void>>()
  const relay: TcpServer = createTcp({ pauseOnConnect: options.readsFirst !== true }, (socket) => {
    const hand = () => {
      const served = broker.serve({
        socket,
        sandboxId: 's1',
        name: options.name ?? hostName,
        port: options.port ?? 443,
        grants: () => grants,
        signal: signal.signal,
      })
      serving.add(served)
      void served.then(() => serving.delete(served))
    }
    if (options.readsFirst !== true) return hand()
    socket.once('data', (chunk) => {
      socket.pause()
      socket.unshift(chunk)
      hand()
    })
  })
  await once(relay.listen(0, '127.0.0.1'), 'listening')
  const { port } = relay.address() as AddressInfo
  return {
    broker,
    port,
    trusted: options.ofSandboxes.certificate,
    uses,
    log,
    setGrants: (changed) => {
      grants = changed
      broker.grantsChanged('s1')
    },
    get opened() {
      return result.opened
    },
    served: async () => void (await Promise.all(serving)),
    signal,
    open: async (more = {}) => {
      const socket = tlsConnect({
        host: '127.0.0.1',
        port,
        servername: hostName,
        ca: options.ofSandboxes.certificate,
        ...more,
      })
      await once(socket, 'secureConnect')
      return socket
    },
    [Symbol.asyncDispose]: async () => {
      signal.abort()
      relay.close()
      await Promise.all(serving)
    },
  }
}

/** Sends bytes and returns all that comes until the connection ends. */
export async function exchangeRaw(socket: Socket, text: string | Buffer): Promise<string> {
  const parts: Buffer[] = []
  socket.on('data', (part: Buffer) => parts.push(part))
  socket.on('error', () => undefined)
  socket.write(text)
  await new Promise((resolve) => socket.once('close', resolve))
  return Buffer.concat(parts).toString('latin1')
}
