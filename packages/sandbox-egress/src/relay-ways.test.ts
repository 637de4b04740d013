import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Server, Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { clientHelloFor, inRecords, padded } from './client-hello.test-utils.ts'
import { endOf, openRelay, publicAddress, sandboxWith, type TestRelay, tcpServer } from './relay.test-utils.ts'

const name = 'allowed.example.org'
const addresses = {
  [name]: '127.200.1.1',
  'other.example.org': '127.200.1.2',
  'one.wide.example.org': '127.200.1.3',
  'a.b.c.wide.example.org': '127.200.1.4',
  'wide.example.org': '127.200.1.5',
  'private.example.org': '127.200.1.6',
  'gone.example.org': '127.200.1.7',
  'secret.example.org': '127.200.1.8',
  'mixed.example.org': '127.200.1.9',
} as const
type VirtualName = keyof typeof addresses
const policy = sandboxWith({
  names: [
    ...[name, `${name}:22`, `${name}:8443`, '*.wide.example.org', 'secret.example.org', 'mixed.example.org'],
    ...['private.example.org', 'gone.example.org'],
  ],
  brokered: ['secret.example.org'],
})

let relay: TestRelay
let upstream: Server
let received: Buffer
let connections = 0

/** Waits for less time than a busy machine can take to send a ClientHello in pieces. */
let impatient: TestRelay

beforeAll(async () => {
  upstream = tcpServer((socket) => {
    connections += 1
    socket.write('hello from the server')
    socket.on('data', (bytes: Buffer) => {
      received = Buffer.concat([received, bytes])
    })
    socket.on('end', () => socket.end())
  })
  relay = await prepare({})
  impatient = await prepare({ firstBytesMs: 300 })
})

async function prepare(options: { firstBytesMs?: number }): Promise<TestRelay> {
  let now = 0
  // Equal events are reported once a second.
  const prepared = await openRelay({ ...options, clock: () => (now += 1000) })
  for (const port of [80, 443, 22, 8443]) await prepared.route(publicAddress, port, upstream)
  for (const [known, address] of Object.entries(addresses)) {
    prepared.addresses.set(known, [publicAddress])
    await prepared.host.addNames({ names: [{ address, name: known }] })
  }
  prepared.addresses.set('mixed.example.org', ['10.0.0.1', publicAddress])
  // Its port 9999 is listened on because another sandbox may use it.
  const other = { sandboxId: 's0000000000000000000b', address: '127.0.1.10', names: ['other.example.org:9999'] }
  await prepared.host.setSandbox(sandboxWith(other))
  await prepared.host.setSandbox(policy)
  return prepared
}

afterAll(async () => {
  await relay.close()
  await impatient.close()
})

beforeEach(() => {
  received = Buffer.alloc(0)
  connections = 0
  relay.events.length = 0
  impatient.events.length = 0
})

type Way = { to?: VirtualName; port: number; sends?: () => Promise<Buffer | Buffer[]> | Buffer | Buffer[] | string }

async function send(socket: Socket, { sends }: Way): Promise<Buffer> {
  const made = await sends?.()
  const pieces = typeof made === 'string' ? [Buffer.from(made, 'latin1')] : made === undefined ? [] : [made].flat()
  if (pieces.length > 1) await once(socket, 'connect')
  for (const piece of pieces) {
    socket.write(piece)
    if (pieces.length > 1) await turn()
  }
  return Buffer.concat(pieces)
}

const get = (host: string, rest = '') => `GET / HTTP/1.1\r\nHost: ${host}\r\n${rest}\r\n`
const inBytes = (bytes: Buffer) => [...bytes].map((byte) => Buffer.from([byte]))
const relayed: Record<string, Way> = {
  'TLS for the name': { port: 443, sends: () => clientHelloFor(name) },
  'TLS for the name in upper case': { port: 443, sends: () => clientHelloFor(name.toUpperCase()) },
  'a ClientHello in segments of one byte': { port: 443, sends: async () => inBytes(await clientHelloFor(name)) },
  'a ClientHello in records of 50 bytes': { port: 443, sends: async () => inRecords(await clientHelloFor(name), 50) },
  'a ClientHello of 15 KiB': { port: 443, sends: async () => padded(await clientHelloFor(name), 15 * 1024 - 600) },
  'TLS at a port of its own': { port: 8443, sends: () => clientHelloFor(name) },
  'TLS at port 80': { port: 80, sends: () => clientHelloFor(name) },
  'HTTP for the name': { port: 80, sends: () => get(name) },
  'HTTP for the name in upper case, with port and final dot': {
    port: 80,
    sends: () => get(`${name.toUpperCase()}.:80`),
  },
  'HTTP in segments of one byte': { port: 80, sends: () => inBytes(Buffer.from(get(name))) },
  'two requests at the same time': {
    port: 80,
    sends: () => get(name, 'Content-Length: 3\r\n').concat('abc', get(name)),
  },
  'a request with chunks, and another one': {
    port: 80,
    sends: () => get(name, 'Transfer-Encoding: chunked\r\n').concat('3;a=b\r\nabc\r\n0\r\nx: y\r\n\r\n', get(name)),
  },
  'an absolute target for the name': {
    port: 80,
    sends: () => `GET http://${name}/a HTTP/1.1\r\nHost: ${name}\r\n\r\n`,
  },
  'a WebSocket': {
    port: 80,
    sends: () =>
      Buffer.concat([Buffer.from(get(name, 'Upgrade: websocket\r\n')), Buffer.from([0x81, 0x85]), Buffer.alloc(9)]),
  },
  'a name at depth 1 of a wildcard': { to: 'one.wide.example.org', port: 80, sends: () => get('one.wide.example.org') },
  'a name at depth 3 of a wildcard': {
    to: 'a.b.c.wide.example.org',
    port: 80,
    sends: () => get('a.b.c.wide.example.org'),
  },
  'any bytes at another port': { port: 22, sends: () => 'SSH-2.0-client\r\n' },
  'a name with a private and a public address': {
    to: 'mixed.example.org',
    port: 80,
    sends: () => get('mixed.example.org'),
  },
}

describe('relayed, byte for byte', () => {
  test.each(Object.keys(relayed))('%s', async (title) => {
    const way = relayed[title] as Way
    const to = way.to ?? name
    const socket = relay.dial({ to: addresses[to], port: way.port })
    const [sent] = await Promise.all([send(socket, way), once(socket, 'data')])
    socket.end()
    expect(await endOf(socket)).toBe('ended')
    expect(received.equals(sent)).toBe(true)
    expect(await relay.eventOf(to)).toMatchObject({ decision: 'relayed', reason: null, port: way.port })
  })
})

const refused: Record<string, Way & { reason: string }> = {
  'TLS without a server name': { port: 443, sends: () => clientHelloFor(undefined), reason: 'server-name-missing' },
  'TLS for another name': { port: 443, sends: () => clientHelloFor('other.example.org'), reason: 'server-name-wrong' },
  'TLS for a name below it': { port: 443, sends: () => clientHelloFor(`a.${name}`), reason: 'server-name-wrong' },
  'TLS for another name at port 80': {
    port: 80,
    sends: () => clientHelloFor('other.example.org'),
    reason: 'server-name-wrong',
  },
  'a ClientHello over 16 KiB': {
    port: 443,
    sends: async () => inRecords(padded(await clientHelloFor(name), 16 * 1024), 16_000),
    reason: 'too-long',
  },
  'a ClientHello that is never finished': {
    port: 443,
    sends: async () => (await clientHelloFor(name)).subarray(0, -1),
    reason: 'too-slow',
  },
  'a ClientHello in records without end': {
    port: 443,
    sends: async () => inRecords(padded(await clientHelloFor(name), 8000), 1),
    reason: 'too-long',
  },
  'a ClientHello with something behind it in its record': {
    port: 443,
    sends: async () => {
      const hello = Buffer.concat([await clientHelloFor(name), Buffer.alloc(4)])
      hello.writeUInt16BE(hello.length - 5, 3)
      return hello
    },
    reason: 'tls-invalid',
  },
  'a ServerHello': { port: 443, sends: () => Buffer.from([22, 3, 3, 0, 4, 2, 0, 0, 0]), reason: 'tls-invalid' },
  'nothing at port 443': { port: 443, reason: 'too-slow' },
  'nothing at port 80': { port: 80, reason: 'too-slow' },
  'HTTP at port 443': { port: 443, sends: () => get(name), reason: 'not-tls' },
  '64 KiB of garbage at port 443': { port: 443, sends: () => garbage(0), reason: 'not-tls' },
  '64 KiB of garbage that begins like TLS': { port: 443, sends: () => garbage(22), reason: 'tls-invalid' },
  '64 KiB of garbage at port 80': { port: 80, sends: () => garbage(0), reason: 'http-invalid' },
  'HTTP for another host': { port: 80, sends: () => get('other.example.org'), reason: 'host-wrong' },
  'HTTP for an address': { port: 80, sends: () => get(publicAddress), reason: 'host-wrong' },
  'HTTP for another port': { port: 80, sends: () => get(`${name}:8080`), reason: 'host-wrong' },
  'HTTP without a host': { port: 80, sends: () => 'GET / HTTP/1.0\r\n\r\n', reason: 'host-missing' },
  'HTTP/0.9': { port: 80, sends: () => 'GET /\r\n\r\n', reason: 'http-invalid' },
  'the preface of HTTP/2': { port: 80, sends: () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', reason: 'http-invalid' },
  'an absolute target for another host': {
    port: 80,
    sends: () => `GET http://other.example.org/ HTTP/1.1\r\nHost: ${name}\r\n\r\n`,
    reason: 'host-wrong',
  },
  'an absolute target with a user': {
    port: 80,
    sends: () => `GET http://${name}@other.example.org/ HTTP/1.1\r\nHost: ${name}\r\n\r\n`,
    reason: 'host-wrong',
  },
  CONNECT: {
    port: 80,
    sends: () => `CONNECT other.example.org:443 HTTP/1.1\r\nHost: ${name}\r\n\r\n`,
    reason: 'http-invalid',
  },
  'two hosts': { port: 80, sends: () => get(name, 'host: other.example.org\r\n'), reason: 'http-invalid' },
  'a folded header': { port: 80, sends: () => get(name, 'X: a\r\n Host: b\r\n'), reason: 'http-invalid' },
  'a space before the colon': {
    port: 80,
    sends: () => get(name, 'Host : other.example.org\r\n'),
    reason: 'http-invalid',
  },
  'a line that ends with LF': { port: 80, sends: () => get(name, 'X: a\nHost: b\r\n'), reason: 'http-invalid' },
  'a bare CR': { port: 80, sends: () => get(name, 'X: a\rHost: b\r\n'), reason: 'http-invalid' },
  'a NUL': { port: 80, sends: () => get(`${name}\0.example.org`), reason: 'http-invalid' },
  'length and chunks': {
    port: 80,
    sends: () => get(name, 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n').concat('0\r\n\r\n'),
    reason: 'http-invalid',
  },
  'two lengths': {
    port: 80,
    sends: () => get(name, 'Content-Length: 5\r\nContent-Length: 6\r\n'),
    reason: 'http-invalid',
  },
  'a length with a sign': { port: 80, sends: () => get(name, 'Content-Length: +5\r\n'), reason: 'http-invalid' },
  'an unknown encoding': {
    port: 80,
    sends: () => get(name, 'Transfer-Encoding: xchunked\r\n'),
    reason: 'http-invalid',
  },
  'a head over 32 KiB': { port: 80, sends: () => get(name, `X: ${'a'.repeat(33 * 1024)}\r\n`), reason: 'too-long' },
  'a port that the list does not have': { port: 9999, reason: 'not-allowed' },
  'a name of another sandbox': { to: 'other.example.org', port: 443, reason: 'not-allowed' },
  'the name above a wildcard': { to: 'wide.example.org', port: 443, reason: 'not-allowed' },
  'a name without an address': {
    to: 'gone.example.org',
    port: 80,
    sends: () => get('gone.example.org'),
    reason: 'name-unresolved',
  },
  'a name with secrets, without a broker': { to: 'secret.example.org', port: 443, reason: 'broker-missing' },
}

function garbage(first: number): Buffer {
  const bytes = randomBytes(64 * 1024)
  bytes[0] = first
  bytes[1] = 0
  return bytes
}

describe('refused with a reset, and nothing reaches a server', () => {
  test.each(Object.keys(refused))('%s', async (title) => {
    const way = refused[title] as Way & { reason: string }
    const to = way.to ?? name
    if (to === 'gone.example.org') relay.addresses.set(to, [])
    const tried = way.reason === 'too-slow' ? impatient : relay
    const socket = tried.dial({ to: addresses[to], port: way.port })
    const end = endOf(socket)
    await send(socket, way)
    expect(await end).toBe('reset')
    expect(await tried.eventOf(to)).toMatchObject({ decision: 'refused', reason: way.reason, port: way.port })
    expect(connections).toBe(0)
  })

  const addressesOfNoOne = [
    '10.0.0.1',
    '127.0.0.1',
    '169.254.169.254',
    '168.63.129.16',
    '198.18.0.1',
    '192.168.1.1',
    '100.64.0.1',
  ]
  const otherNotations = ['0x7f.1', '::ffff:8.8.8.8', '2001:db8::1', '8.8.8', '0', '']
  test.each([...addressesOfNoOne, ...otherNotations])('a name that has become %s', async (address) => {
    relay.addresses.set('private.example.org', [address])
    const socket = relay.dial({ to: addresses['private.example.org'], port: 80 })
    socket.write(get('private.example.org'))
    expect(await endOf(socket)).toBe('reset')
    expect(await relay.eventOf('private.example.org')).toMatchObject({ decision: 'refused', reason: 'address-private' })
    expect(connections).toBe(0)
  })

  test('an address that stands for no name', async () => {
    const socket = relay.dial({ to: '127.200.9.9', port: 443 })
    expect(await endOf(socket)).toBe('reset')
    expect(await relay.eventOf('127.200.9.9')).toMatchObject({ decision: 'refused', reason: 'address-unknown' })
  })

  test('a source that is not a sandbox, without an event', async () => {
    expect(await endOf(relay.dial({ to: addresses[name], port: 443, from: '127.0.1.99' }))).toBe('reset')
    expect(relay.events).toEqual([])
  })
})

describe('ends when a later request isn’t for the name', () => {
  const first = get(name, 'Content-Length: 3\r\n').concat('abc')
  const later: Record<string, { text: string; reason: string }> = {
    'another host, sent before the response': { text: get('other.example.org'), reason: 'host-wrong' },
    'another host after chunks': {
      text: get(name, 'Transfer-Encoding: chunked\r\n').concat('0\r\n\r\n', get('other.example.org')),
      reason: 'host-wrong',
    },
    'a chunk with an ambiguous size': {
      text: get(name, 'Transfer-Encoding: chunked\r\n').concat('0x3\r\nabc\r\n0\r\n\r\n'),
      reason: 'http-invalid',
    },
    'a chunk that ends elsewhere': {
      text: get(name, 'Transfer-Encoding: chunked\r\n').concat('3\r\nabcd\r\n0\r\n\r\n'),
      reason: 'http-invalid',
    },
    'a host in a trailer': {
      text: get(name, 'Transfer-Encoding: chunked\r\n').concat('0\r\nHost: other.example.org\r\n\r\n'),
      reason: 'http-invalid',
    },
    'another host after a WebSocket that the server may have ignored': {
      text: get(name, 'Upgrade: websocket\r\n').concat(get('other.example.org')),
      reason: 'host-wrong',
    },
  }
  test.each(Object.keys(later))('%s', async (title) => {
    const { text, reason } = later[title] as { text: string; reason: string }
    const socket = relay.dial({ to: addresses[name], port: 80 })
    socket.write(first)
    await once(socket, 'data')
    const end = endOf(socket)
    socket.write(text)
    expect(await end).toBe('reset')
    await relay.eventOf(name)
    await expect.poll(() => relay.events.map((event) => event.reason)).toContain(reason)
    expect(received.toString()).not.toContain('other.example.org')
  })
})
