import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'
import type { Grant } from '@threadbox/protocol/egress'
import { type Client, sendHttp2 } from './client.ts'
import type { EgressProcess } from './egress-process.ts'
import type { Arrived, RecordingHost } from './recording-host.ts'

export type Secrets = Record<'used' | 'long' | 'inBody' | 'revoked', Grant>

/** What a point has to work with. */
export type Scene = {
  path: string
  secrets: Secrets
  hosts: Record<'http1' | 'http2', RecordingHost>
  egress: Pick<EgressProcess, 'queues' | 'pid'>
  open(options?: { protocol?: 'h2'; allowed?: number }): Promise<Client>
  /** Resolves with the next question for an address, to which nothing responds. */
  nameAsked(): Promise<unknown>
  /** Sends an order as the server does, or the beginning of one. */
  order(grants: readonly Grant[], part: 'all' | 'half'): Promise<void>
  setGrants(grants: readonly Grant[]): Promise<void>
}

export type Reached = {
  client: Client
  /** The connection at the host, if there is one. */
  host?: Arrived
  /** How often the host has a value then. */
  values: number | 'some'
}

/** Brings a request to each point, by its name. */
export const reach = {
  'it is accepted': async (scene) => {
    const client = await scene.open({ allowed: 0 })
    await read(scene, { sandbox: client.port })
    return { client, values: 0 }
  },
  'half of the ClientHello is read': async (scene) => {
    const client = await scene.open({ allowed: 0 })
    client.valve.allow(Math.floor((await client.valve.wanted()) / 2))
    await read(scene, { sandbox: client.port })
    return { client, values: 0 }
  },
  'the address of the host is asked for': async (scene) => {
    const asked = scene.nameAsked()
    const client = await scene.open()
    await asked
    return { client, values: 0 }
  },
  'the host has accepted': async (scene) => {
    const { client, host } = await connect(scene, { allowedOfHost: 0 })
    await host.valve.wanted()
    return { client, host, values: 0 }
  },
  'half of the host’s handshake is read': async (scene) => {
    const { client, host } = await connect(scene, { allowedOfHost: 0 })
    host.valve.allow(Math.floor((await host.valve.wanted()) / 2))
    await read(scene, { host: host.socket.remotePort ?? 0 })
    return { client, host, values: 0 }
  },
  'the host’s certificate is checked': async (scene) => {
    const arriving = scene.hosts.http1.next()
    const client = await scene.open({ allowed: 0 })
    client.valve.allow(await client.valve.wanted())
    // What it sends after the broker’s part of the handshake, which comes after the host’s.
    await client.valve.wanted()
    return { client, host: await arriving, values: 0 }
  },
  'the sandbox’s handshake is done': async (scene) => ({ ...(await secured(scene)), values: 0 }),
  'half of the head is read': async (scene) => {
    const connected = await secured(scene)
    await sendHalfHead(scene, connected.client)
    return { ...connected, values: 0 }
  },
  'the head and half of a body for a value are read': async (scene) => {
    const { client, host } = await secured(scene)
    const body = JSON.stringify({ token: scene.secrets.inBody.placeholder, more: 'x'.repeat(2000) })
    client.tls.write(headOf(scene, { line: `POST /in-body${scene.path}`, more: `content-length: ${body.length}\r\n` }))
    await write(client.tls, body.slice(0, body.length / 2))
    await read(scene, { sandbox: client.port })
    return { client, host, values: 0 }
  },
  'half of the head is at the host': async (scene) => {
    const { client, host } = await secured(scene)
    host.valve.stopReading()
    const { placeholder } = scene.secrets.long
    const more = Array.from({ length: 24 }, (_, index) => `x-${index}: ${placeholder}\r\n`).join('')
    client.tls.write(headOf(scene, { more, placeholder }))
    const port = host.socket.remotePort ?? 0
    await waitFor(scene, { of: { host: port }, until: 'isFull' })
    return { client, host, values: 'some' }
  },
  'the head is at the host': async (scene) => await uploading(scene, { part: '' }),
  'half of the body is at the host': async (scene) => await uploading(scene, { part: `${'x'.repeat(5000)}<half>` }),
  'all but the last chunk of the body is at the host': async (scene) => {
    const { client, host } = await secured(scene)
    client.tls.write(headOf(scene, { line: `POST ${scene.path}`, more: 'transfer-encoding: chunked\r\n' }))
    client.tls.write('6\r\n<last>\r\n')
    await host.sent.until('<last>')
    return { client, host, values: 1 }
  },
  'the request is at the host': async (scene) => ({ ...(await asked(scene)), values: 1 }),
  'half of the response’s head is read': async (scene) => {
    const { client, host } = await asked(scene)
    await answer(scene, { host, text: `HTTP/1.1 200 OK\r\nx-echo: ${scene.secrets.used.value}` })
    return { client, host, values: 1 }
  },
  'the response’s head is with the sandbox': async (scene) => {
    const { client, host } = await asked(scene)
    const { value } = scene.secrets.used
    await answer(scene, { host, text: `HTTP/1.1 200 OK\r\nx-echo: ${value}\r\ncontent-length: 1000\r\n\r\n` })
    await client.got.until('\r\n\r\n')
    return { client, host, values: 1 }
  },
  'half of a response that repeats the value is with the sandbox': async (scene) => {
    const { client, host } = await asked(scene)
    const { value } = scene.secrets.used
    await answer(scene, { host, text: `HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nyou sent ${value}<half>` })
    await client.got.until('<half>')
    return { client, host, values: 1 }
  },
  'half of a repeated value is read': async (scene) => {
    const { client, host } = await asked(scene)
    const { value } = scene.secrets.used
    const text = `you sent ${value.slice(0, value.length / 2)}`
    const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'
    await answer(scene, { host, text: `${head}${text.length.toString(16)}\r\n${text}\r\n` })
    await client.got.until('you sent ')
    return { client, host, values: 1 }
  },
  'the connection is kept': async (scene) => ({ ...(await kept(scene)), values: 1 }),
  'half of a second request is read': async (scene) => {
    const connected = await kept(scene)
    await sendHalfHead(scene, connected.client)
    return { ...connected, values: 1 }
  },
  'an HTTP/2 request is at the host': async (scene) => ({ ...(await askedByHttp2(scene)), values: 1 }),
  'half of an HTTP/2 response is with the sandbox': async (scene) => {
    const { client, host } = await askedByHttp2(scene)
    const stream = await host.stream()
    stream.respond({ ':status': 200, 'x-echo': scene.secrets.used.value })
    stream.write(`you sent ${scene.secrets.used.value}<half>`)
    await client.got.until('<half>')
    return { client, host, values: 1 }
  },
  'a WebSocket is open': async (scene) => {
    const { client, host } = await secured(scene)
    const key = 'dGhlIHNhbXBsZSBub25jZQ=='
    const more = `upgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: ${key}\r\n`
    client.tls.write(headOf(scene, { more }))
    await host.sent.until('\r\n\r\n')
    const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
    const upgrade = 'upgrade: websocket\r\nconnection: upgrade\r\n'
    host.tls.write(`HTTP/1.1 101 Switching Protocols\r\n${upgrade}sec-websocket-accept: ${accept}\r\n\r\n`)
    await client.got.until('\r\n\r\n')
    return { client, host, values: 1 }
  },
  'half of an order that revokes is read': async (scene) => {
    const connected = await asked(scene, scene.secrets.revoked)
    await scene.order(withoutRevoked(scene), 'half')
    return { ...connected, values: 1 }
  },
  'an order that revokes has arrived': async (scene) => {
    const connected = await asked(scene, scene.secrets.revoked)
    process.kill(scene.egress.pid(), 'SIGSTOP')
    await scene.order(withoutRevoked(scene), 'all')
    return { ...connected, values: 1 }
  },
  'an order that revokes is acknowledged': async (scene) => {
    const connected = await asked(scene, scene.secrets.revoked)
    await scene.setGrants(withoutRevoked(scene))
    return { ...connected, values: 1 }
  },
  'half of an order with values is read': async (scene) => {
    const connected = await secured(scene)
    await scene.order(Object.values(scene.secrets), 'half')
    return { ...connected, values: 0 }
  },
  'an order with values has arrived': async (scene) => {
    const connected = await secured(scene)
    process.kill(scene.egress.pid(), 'SIGSTOP')
    await scene.order(Object.values(scene.secrets), 'all')
    return { ...connected, values: 0 }
  },
} satisfies Record<string, (scene: Scene) => Promise<Reached>>

export function withoutRevoked({ secrets }: Pick<Scene, 'secrets'>): Grant[] {
  return Object.values(secrets).filter((grant) => grant !== secrets.revoked)
}

async function connect(
  scene: Scene,
  { protocol, allowedOfHost }: { protocol?: 'h2'; allowedOfHost?: number } = {},
): Promise<{ client: Client; host: Arrived }> {
  const arriving = scene.hosts[protocol === 'h2' ? 'http2' : 'http1'].next({ allowed: allowedOfHost })
  const client = await scene.open(protocol === undefined ? {} : { protocol })
  return { client, host: await arriving }
}

/** Both handshakes are done. */
async function secured(scene: Scene, options: { protocol?: 'h2' } = {}): Promise<{ client: Client; host: Arrived }> {
  const connected = await connect(scene, options)
  await connected.client.secured
  return connected
}

/** A request is at the host, which has not responded. */
async function asked(scene: Scene, { placeholder } = scene.secrets.used): Promise<{ client: Client; host: Arrived }> {
  const { client, host } = await secured(scene)
  client.tls.write(headOf(scene, { placeholder }))
  await host.sent.until('\r\n\r\n')
  return { client, host }
}

async function askedByHttp2(scene: Scene): Promise<{ client: Client; host: Arrived }> {
  const { client, host } = await secured(scene, { protocol: 'h2' })
  const authorization = `Bearer ${scene.secrets.used.placeholder}`
  await sendHttp2(client, { ':authority': host.name, ':path': scene.path, authorization })
  await host.sent.until('\r\n\r\n')
  return { client, host }
}

async function kept(scene: Scene): Promise<{ client: Client; host: Arrived }> {
  const { client, host } = await asked(scene)
  host.tls.write('HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\n<done>')
  await client.got.until('<done>')
  return { client, host }
}

async function uploading(scene: Scene, { part }: { part: string }): Promise<Reached> {
  const { client, host } = await secured(scene)
  client.tls.write(headOf(scene, { line: `POST ${scene.path}`, more: 'content-length: 10000\r\n' }))
  await host.sent.until('\r\n\r\n')
  client.tls.write(part)
  await host.sent.until(part)
  return { client, host, values: 1 }
}

/** The half of a head that has the placeholder. */
async function sendHalfHead(scene: Scene, { tls, port }: Client): Promise<void> {
  const half = headOf(scene).slice(0, -2)
  await write(tls, half)
  await read(scene, { sandbox: port })
}

function headOf(
  { path, secrets }: Scene,
  { line = `GET ${path}`, more = '', placeholder = secrets.used.placeholder } = {},
): string {
  const [host = ''] = secrets.used.hosts
  return `${line} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${placeholder}\r\n${more}\r\n`
}

/** Sends something to egress, which reads it. */
async function answer(scene: Scene, { host, text }: { host: Arrived; text: string }): Promise<void> {
  await write(host.tls, text)
  await read(scene, { host: host.socket.remotePort ?? 0 })
}

/** Resolves when it has left this process. */
async function write(tls: TLSSocket, text: string): Promise<void> {
  await new Promise((resolve) => tls.write(text, resolve))
}

async function read(scene: Scene, of: Parameters<EgressProcess['queues']>[0]): Promise<void> {
  await waitFor(scene, { of, until: 'isRead' })
}

/** Longer than a busy machine needs, and less than the limit of a test, which says nothing about the connection. */
const longestMs = 60_000

async function waitFor(
  { egress }: Scene,
  { of, until }: { of: Parameters<EgressProcess['queues']>[0]; until: 'isRead' | 'isFull' },
): Promise<void> {
  const late = AbortSignal.timeout(longestMs)
  for (;;) {
    const queues = await egress.queues(of)
    if (queues[until]) return
    if (late.aborted) throw new Error(`The kernel doesn’t say ${until} of ${JSON.stringify({ of, ...queues })}.`)
    await delay(2)
  }
}
