import { once } from 'node:events'
import { connect as connectHttp2, type IncomingHttpHeaders } from 'node:http2'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
import type { Grant } from '@threadbox/protocol/egress'
import type { Authority } from './authority.ts'
import {
  type Authorities,
  type BrokerUnderTest,
  exchangeRaw,
  hostName,
  newGrant,
  startBroker,
  startHost,
} from './broker.test-utils.ts'
import { formsOf } from './secret-forms.logic.ts'

/** What an attack has to work with. */
export type Ground = {
  grant: Grant
  broker: BrokerUnderTest
  /** Sends bytes over a new TLS connection, and returns all that comes. */
  raw(text: string | Buffer, options?: { servername?: string }): Promise<string>
  /** Sends bytes without TLS. */
  plain(text: string): Promise<string>
  /** Sends one HTTP/2 request. */
  http2(headers: Record<string, string | string[]>, body?: string): Promise<string>
}

export type Attack = {
  name: string
  /** Returns everything that the sandbox got to see. */
  run(ground: Ground): Promise<string>
  /** What the host sends, whatever it is asked. Pieces are sent one by one. */
  reply?: ((grant: Grant) => string | Buffer | readonly (string | Buffer)[]) | undefined
  /** An attack on what comes back: the value reaches the host rightly. */
  isAllowed?: boolean
  grant?: Partial<Grant>
  /** The host has HTTP/2. */
  isHttp2?: boolean
  /** Another certificate of the host. */
  hostAuthority?: (authorities: Authorities) => Authority | Promise<Authority>
  certificateName?: string
  /** The host’s address is not allowed. */
  isPrivate?: boolean
}

export type Outcome = { name: string; leaks: string[]; reached: boolean; seen: string }

/** Runs one attack against a broker and a host of its own, and searches all that left the broker for the value. */
export async function carryOut(attack: Attack, authorities: Authorities): Promise<Outcome> {
  const grant = newGrant(attack.grant)
  const received: string[] = []
  const ofHost = (await attack.hostAuthority?.(authorities)) ?? authorities.ofHosts
  const reply = attack.reply?.(grant) ?? 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok'
  await using host = attack.isHttp2
    ? await startHttp2Recorder(ofHost, { received, grant })
    : await startRecorder(ofHost, { received, reply, name: attack.certificateName ?? hostName })
  await using broker = await startBroker({
    ...authorities,
    hostPort: () => {
      if (attack.isPrivate) throw new Error('the address is private')
      return host.port
    },
    grants: [grant],
  })
  const seen = await attack.run(groundFor(broker, grant))
  const all = received.join('\n')
  const has = (text: string) => formsOf(grant.value).some((form) => text.includes(form))
  const leaks = [
    ...(has(seen) ? ['the sandbox'] : []),
    ...(has(JSON.stringify(broker.uses)) ? ['an event'] : []),
    ...(has(broker.log.join('\n')) ? ['the log'] : []),
    ...(has(all) && attack.isAllowed !== true ? ['the host'] : []),
  ]
  return { name: attack.name, leaks, reached: has(all), seen }
}

function groundFor(broker: BrokerUnderTest, grant: Grant): Ground {
  return {
    grant,
    broker,
    raw: async (text, options = {}) => {
      const socket = await broker.open({ checkServerIdentity: () => undefined, ...options })
      return await exchangeRaw(endsSoon(socket), text)
    },
    plain: async (text) => await exchangeRaw(endsSoon(connect(broker.port, '127.0.0.1')), text),
    http2: async (headers, body) => await askHttp2(broker, { headers, body }),
  }
}

/** An attack that gets no response must not wait for one. */
function endsSoon<Kind extends Socket>(socket: Kind): Kind {
  const timer = setTimeout(() => socket.destroy(), 3000)
  socket.once('close', () => clearTimeout(timer))
  return socket
}

async function askHttp2(
  broker: BrokerUnderTest,
  { headers, body }: { headers: Record<string, string | string[]>; body: string | undefined },
): Promise<string> {
  const socket: TLSSocket = endsSoon(await broker.open({ ALPNProtocols: ['h2'] }))
  const session = connectHttp2(`https://${hostName}`, { createConnection: () => socket })
  const seen: string[] = []
  session.on('error', (error) => seen.push(error.message))
  try {
    const stream = session.request({ ':path': '/', ...headers }, { endStream: body === undefined })
    for (const event of ['headers', 'response', 'trailers'] as const) {
      stream.on(event, (found: IncomingHttpHeaders) => seen.push(JSON.stringify(found)))
    }
    stream.on('data', (part: Buffer) => seen.push(part.toString('latin1')))
    stream.on('error', (error) => seen.push(error.message))
    if (body !== undefined) stream.end(body)
    await once(stream, 'close').catch(() => undefined)
  } catch (error) {
    // Node’s own client refuses some requests.
    seen.push(String(error))
  }
  session.destroy()
  return seen.join('\n')
}

type Recorder = AsyncDisposable & { port: number }

/** A TLS server that records all bytes and sends the same after the head of each request. */
async function startRecorder(
  authority: Authority,
  {
    received,
    reply,
    name,
  }: { received: string[]; reply: string | Buffer | readonly (string | Buffer)[]; name: string },
): Promise<Recorder> {
  const context = await authority.contextFor(name)
  const sockets = new Set<Socket>()
  const server = createServer(
    { SNICallback: (_, done) => done(null, context), ALPNProtocols: ['http/1.1'] },
    (socket) => {
      let text = ''
      socket.on('error', () => undefined)
      socket.on('data', (part) => {
        const isFirst = !text.includes('\r\n\r\n')
        text += part.toString('latin1')
        received.push(part.toString('latin1'))
        if (isFirst && text.includes('\r\n\r\n')) void send(socket, [reply].flat())
      })
    },
  )
  server.on('tlsClientError', () => undefined)
  server.on('connection', (socket: Socket) => sockets.add(socket))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function send(socket: Socket, pieces: readonly (string | Buffer)[]): Promise<void> {
  for (const piece of pieces) {
    socket.write(piece)
    await new Promise((resolve) => setImmediate(resolve))
  }
  socket.end()
}

/** An HTTP/2 server that repeats the value in every place of its response. */
async function startHttp2Recorder(
  authority: Authority,
  { received, grant }: { received: string[]; grant: Grant },
): Promise<Recorder> {
  return await startHost({
    authority,
    http2: (stream, headers) => {
      received.push(JSON.stringify(headers))
      stream.on('error', () => undefined)
      stream.on('data', (part: Buffer) => received.push(part.toString('latin1')))
      stream.additionalHeaders({ ':status': 103, link: grant.value })
      stream.respond({ ':status': 200, 'x-echo': grant.value }, { waitForTrailers: true })
      stream.once('wantTrailers', () => stream.sendTrailers({ 'x-echo': grant.value }))
      stream.end(`a${grant.value}b`)
    },
  })
}
