import { createSocket } from 'node:dgram'
import { type AddressInfo, connect, createServer } from 'node:net'
import { makeLogger } from '@threadbox/telemetry'
import { type Answer, type DecodedPacket, decode, encode, type Packet, type RecordType } from 'dns-packet'
import { afterEach, describe, expect, test } from 'vitest'
import { makeDnsForwarder } from './dns-forwarder.ts'
import { makeFrameReader, toFrame } from './dns-frames.ts'
import { checkEgress, isAllowedName, keepsConnections, parseResolvers, responseCodes } from './dns-policy.logic.ts'
import { makeDnsResolver } from './dns-resolver.ts'
import { makeDnsUpstream } from './dns-upstream.ts'
import type { EgressPolicy } from './sandbox-network.ts'
import { takeToken } from './token-bucket.logic.ts'

const logger = makeLogger({ process: 'test', level: 'silent' })
const zone: Record<string, Answer[]> = {
  'public.example A': [{ type: 'A', name: 'public.example', data: '203.0.113.7', ttl: 30 }],
  'mixed.example A': [
    { type: 'CNAME', name: 'mixed.example', data: 'public.example', ttl: 30 },
    { type: 'A', name: 'public.example', data: '203.0.113.7', ttl: 30 },
    { type: 'A', name: 'public.example', data: '10.0.0.8', ttl: 30 },
  ],
  'rebind.example A': [
    { type: 'A', name: 'rebind.example', data: '169.254.169.254', ttl: 1 },
    { type: 'A', name: 'rebind.example', data: '127.0.0.1', ttl: 1 },
  ],
  'text.example TXT': [{ type: 'TXT', name: 'text.example', data: ['hello'], ttl: 5 }],
  'large.example TXT': Array.from({ length: 40 }, (_, index) => ({
    type: 'TXT' as const,
    name: 'large.example',
    data: [`${index} ${'x'.repeat(100)}`],
    ttl: 5,
  })),
  'sly.example ANY': [
    { type: 'AAAA', name: 'sly.example', data: 'fd00::2', ttl: 5 },
    { type: 'TXT', name: 'sly.example', data: ['hello'], ttl: 5 },
  ],
}

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

describe('the DNS forwarder', () => {
  test('passes responses on, by UDP and TCP, with the ID of the question', async () => {
    const { ask, askTcp } = await start({ egress: { kind: 'open' } })
    for (const answer of [await ask('public.example'), await askTcp('public.example')]) {
      expect(answer.id).toBe(4711)
      expect(answer.answers).toMatchObject([{ type: 'A', data: '203.0.113.7' }])
    }
    expect((await ask('text.example', 'TXT')).answers).toHaveLength(1)
  })

  test('G2: a response never contains a private address (DNS rebinding)', async () => {
    const { ask, askTcp } = await start({ egress: { kind: 'open' } })
    expect((await ask('rebind.example')).answers).toEqual([])
    expect((await askTcp('rebind.example')).answers).toEqual([])
    const mixed = await ask('mixed.example')
    expect(mixed.answers?.map((each) => each.type)).toEqual(['CNAME', 'A'])
    expect(mixed.answers?.[1]).toMatchObject({ data: '203.0.113.7' })
    expect((await ask('sly.example', 'ANY' as RecordType)).answers?.map((each) => each.type)).toEqual(['TXT'])
  })

  test('a name that resolved to a public address is reported; other names are not', async () => {
    const { ask, named } = await start({ egress: { kind: 'open' } })
    for (const name of ['none.example', 'rebind.example', 'public.example', 'mixed.example']) await ask(name)
    await ask('text.example', 'TXT')
    await ask('public.example', 'AAAA')
    expect(named).toEqual(['127.0.0.1 public.example', '127.0.0.1 mixed.example'])
    const closed = await start({ egress: { kind: 'none' } })
    await closed.ask('public.example')
    expect(closed.named).toEqual([])
  })

  test('names that the policy refuses are reported, once for both families and not those that only have no address', async () => {
    const { ask, refused, resolver } = await start({ egress: { kind: 'allowlist', names: ['public.example'] } })
    await ask('public.example')
    for (const type of ['A', 'AAAA', 'TXT'] as const) await ask('Other.example', type)
    expect(refused).toEqual(['127.0.0.1 Other.example', '127.0.0.1 Other.example'])
    resolver.setClient({ address: '127.0.0.1', egress: { kind: 'none' } })
    await ask('public.example')
    expect(refused.slice(2)).toEqual(['127.0.0.1 public.example'])
    const open = await start({ egress: { kind: 'open' } })
    await open.ask('none.example')
    await open.ask('public.example', 'AXFR' as RecordType)
    expect(open.refused).toEqual([])
  })

  test('questions for IPv6 addresses get an empty response without an upstream query', async () => {
    const { ask, asked } = await start({ egress: { kind: 'open' } })
    const answer = await ask('public.example', 'AAAA')
    expect([answer.answers, rcodeOf(answer)]).toEqual([[], responseCodes.ok])
    expect(asked()).toBe(0)
  })

  test('names off the list do not exist and are not sent upstream; listed ones get the address that stands for them', async () => {
    const { ask, asked, virtual, named } = await start({
      egress: { kind: 'allowlist', names: ['PUBLIC.example.', '*.mixed.example:8443'] },
    })
    expect(rcodeOf(await ask('mixed.example'))).toBe(responseCodes.noSuchName)
    expect(rcodeOf(await ask('secret-data.public.example', 'TXT'))).toBe(responseCodes.noSuchName)
    for (const name of ['Public.Example', 'any.mixed.example']) {
      expect((await ask(name)).answers).toMatchObject([{ type: 'A', data: '198.19.0.1', ttl: 30 }])
      for (const type of ['AAAA', 'ANY', 'UNKNOWN_64', 'UNKNOWN_65'] as RecordType[]) {
        const answer = await ask(name, type)
        expect([rcodeOf(answer), answer.answers], `${name} ${type}`).toEqual([responseCodes.ok, []])
      }
    }
    expect(virtual).toEqual(['127.0.0.1 Public.Example', '127.0.0.1 any.mixed.example'])
    expect(named).toEqual(virtual)
    expect(asked()).toBe(0)
  })

  test('a name with secrets has an address that stands for it while the policy is open', async () => {
    const { ask, asked } = await start({ egress: { kind: 'open', brokered: ['public.example:8443'] } })
    expect((await ask('public.example')).answers).toMatchObject([{ type: 'A', data: '198.19.0.1', ttl: 30 }])
    expect((await ask('public.example', 'UNKNOWN_65' as RecordType)).answers).toEqual([])
    expect(asked()).toBe(0)
    expect((await ask('mixed.example')).answers?.at(-1)).toMatchObject({ data: '203.0.113.7' })
    const closed = await start({ egress: { kind: 'none', brokered: ['public.example'] } })
    expect(rcodeOf(await closed.ask('public.example'))).toBe(responseCodes.refused)
  })

  test('a name for which no address is left is a server failure', async () => {
    const { ask } = await start({ egress: { kind: 'allowlist', names: ['none-left.example'] } })
    expect(rcodeOf(await ask('none-left.example'))).toBe(responseCodes.serverFailure)
  })

  test('without egress every question is refused, and a policy change applies immediately', async () => {
    const { ask, asked, resolver } = await start({ egress: { kind: 'none' } })
    expect(rcodeOf(await ask('public.example'))).toBe(responseCodes.refused)
    expect(asked()).toBe(0)
    resolver.setClient({ address: '127.0.0.1', egress: { kind: 'open' } })
    expect(rcodeOf(await ask('public.example'))).toBe(responseCodes.ok)
  })

  test('addresses that are not clients get no response', async () => {
    const { resolver, askTcp } = await start({ egress: { kind: 'open' } })
    resolver.removeClient('127.0.0.1')
    await expect(askTcp('public.example')).rejects.toThrow()
    const question = encode({ type: 'query', id: 1, questions: [{ type: 'A', name: 'public.example' }] })
    expect(await resolver.answer({ from: '127.0.0.1', question, transport: 'udp' })).toBeUndefined()
  })

  test.each([
    ['nothing', Buffer.alloc(0)],
    ['half a header', Buffer.from('12345')],
    ['a label that points to itself', Buffer.from('000101000001000000000000c00c00010001', 'hex')],
    ['random bytes', Buffer.from('ffffffffffffffffffffffffffffffffffffffff', 'hex')],
  ])('malformed messages do no harm: %s', async (_name, question) => {
    const { resolver, ask } = await start({ egress: { kind: 'open' } })
    const answer = await resolver.answer({ from: '127.0.0.1', question, transport: 'udp' })
    if (answer !== undefined) expect(rcodeOf(decode(answer))).toBeGreaterThan(0)
    expect((await ask('public.example')).answers).toHaveLength(1)
  })

  test('a response, two questions, another operation and a zone transfer are not forwarded', async () => {
    const { resolver, asked } = await start({ egress: { kind: 'open' } })
    const [one, two] = ['public.example', 'text.example'].map((name) => ({ type: 'A' as const, name }))
    const packets: [Packet, number][] = [
      [{ type: 'response', questions: [one!] }, responseCodes.formatError],
      [{ type: 'query', questions: [one!, two!] }, responseCodes.formatError],
      [{ type: 'query', flags: 5 << 11, questions: [one!] }, responseCodes.notImplemented],
      [{ type: 'query', questions: [{ type: 'AXFR', name: 'public.example' }] }, responseCodes.refused],
    ]
    for (const [packet, code] of packets) {
      const answer = await resolver.answer({ from: '127.0.0.1', question: encode(packet), transport: 'tcp' })
      expect(rcodeOf(decode(answer!))).toBe(code)
    }
    expect(asked()).toBe(0)
  })

  test('a server that is down is skipped; if all are down, the sandbox gets a server failure', async () => {
    const dead = await closedPort()
    const { ask } = await start({ egress: { kind: 'open' }, before: [dead] })
    expect((await ask('public.example')).answers).toHaveLength(1)
    const alone = makeDnsUpstream({ servers: async () => [{ address: '127.0.0.1', port: dead }] })
    const unheard = { virtualAddress: async () => '198.19.0.1', onAnswered: () => undefined }
    const resolver = makeDnsResolver({ upstream: alone, ...unheard, logger, now: () => 0 })
    resolver.setClient({ address: '127.0.0.1', egress: { kind: 'open' } })
    const question = encode({ type: 'query', id: 9, questions: [{ type: 'A', name: 'public.example' }] })
    const answer = await resolver.answer({ from: '127.0.0.1', question, transport: 'udp' })
    expect(rcodeOf(decode(answer!))).toBe(responseCodes.serverFailure)
  })

  test('a flood gets responses up to its limit, and other clients are not affected', async () => {
    const { resolver } = await start({ egress: { kind: 'none' }, now: () => 0 })
    resolver.setClient({ address: '127.0.0.2', egress: { kind: 'none' } })
    const question = encode({ type: 'query', questions: [{ type: 'A', name: 'public.example' }] })
    const from = (address: string) => resolver.answer({ from: address, question, transport: 'udp' })
    const answers = await Promise.all(Array.from({ length: 500 }, () => from('127.0.0.1')))
    expect(answers.filter((answer) => answer !== undefined)).toHaveLength(300)
    expect(await from('127.0.0.2')).toBeDefined()
  })

  test('a large response is complete over TCP', async () => {
    const { askTcp } = await start({ egress: { kind: 'open' } })
    expect((await askTcp('large.example', 'TXT')).answers).toHaveLength(40)
  })
})

describe('the list of allowed names', () => {
  test.each([
    ['index.example.net', 'index.example.net', true],
    ['Index.Example.NET.', 'index.example.net', true],
    ['evil-index.example.net', 'index.example.net', false],
    ['a.index.example.net', 'index.example.net', false],
    ['a.example.com', '*.example.com', true],
    ['a.b.example.com', '*.example.com', true],
    ['example.com', '*.example.com', false],
    ['aexample.com', '*.example.com', false],
  ])('%s by %s: %s', (name, entry, expected) => {
    expect(isAllowedName({ name, names: [entry] })).toBe(expected)
  })
  test.each([
    ...['', '*', '*.', 'https://index.example.net', 'a b', 'a..b', '1.2.3.4/8', '-a.org', 'x'.repeat(64)],
    ...[
      'a.org:',
      'a.org:0',
      'a.org:65536',
      'a.org:053',
      'a.org:53',
      'a.org:x',
      'a.org:80:80',
      ':80',
      '0x7f.1',
      '127.1',
      '*.com',
      '..',
      '0.0.0.0/0',
      'localhost',
    ],
  ])('%j cannot be on it', (name) => {
    expect(() => checkEgress({ kind: 'allowlist', names: [name] })).toThrow(/is not valid in the list/)
  })
})

test.each<[EgressPolicy, EgressPolicy, boolean]>([
  [{ kind: 'open' }, { kind: 'none' }, true],
  [{ kind: 'open' }, { kind: 'allowlist', names: ['a.org'] }, true],
  [{ kind: 'allowlist', names: ['b.org'] }, { kind: 'allowlist', names: ['a.org'] }, true],
  [{ kind: 'allowlist', names: ['a.org'] }, { kind: 'open' }, false],
  [{ kind: 'allowlist', names: ['a.org'] }, { kind: 'none' }, false],
  [{ kind: 'none' }, { kind: 'open' }, false],
  [{ kind: 'none' }, { kind: 'allowlist', names: ['a.org'] }, false],
])('the firewall keeps connections when %j follows %j: %s', (egress, earlier, keeps) => {
  expect(keepsConnections(egress, earlier)).toBe(keeps)
})

test('resolvers are read from resolv.conf, systemd’s local one included', () => {
  expect(parseResolvers('# x\nnameserver 127.0.0.53\noptions edns0\n nameserver fe80::1%eth0\n')).toEqual([
    '127.0.0.53',
    'fe80::1',
  ])
  expect(parseResolvers('search example.com\n#nameserver 1.2.3.4\n')).toEqual(['127.0.0.1'])
})

test('tokens come back with time, never more than the burst, and not when the clock goes back', () => {
  const rate = { perSecond: 10, burst: 2 }
  const first = takeToken({ bucket: undefined, nowMs: 1000, ...rate })
  const second = takeToken({ bucket: first, nowMs: 1000, ...rate })
  expect(takeToken({ bucket: second, nowMs: 1000, ...rate })).toBeUndefined()
  expect(takeToken({ bucket: second, nowMs: 500, ...rate })).toBeUndefined()
  expect(takeToken({ bucket: second, nowMs: 1100, ...rate })).toMatchObject({ tokens: 0 })
  expect(takeToken({ bucket: second, nowMs: 9_999_000, ...rate })).toMatchObject({ tokens: 1 })
})

async function start(options: { egress: EgressPolicy; before?: number[]; now?: () => number }) {
  const upstream = await startNameServer()
  const ports = [...(options.before ?? []), upstream.port]
  const virtual: string[] = []
  const named: string[] = []
  const refused: string[] = []
  const resolver = makeDnsResolver({
    upstream: makeDnsUpstream({ servers: async () => ports.map((port) => ({ address: '127.0.0.1', port })) }),
    virtualAddress: async ({ address, name }) => {
      if (name === 'none-left.example') throw new Error('none is left')
      virtual.push(`${address} ${name}`)
      return '198.19.0.1'
    },
    onAnswered: ({ address, name }) => void named.push(`${address} ${name}`),
    onRefused: ({ address, name }) => void refused.push(`${address} ${name}`),
    logger,
    now: options.now ?? (() => performance.now()),
  })
  const forwarder = makeDnsForwarder({ resolver, logger })
  const [tcp, udp] = [createServer(), createSocket('udp4')]
  await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve))
  const { port } = tcp.address() as AddressInfo
  await new Promise<void>((resolve) => udp.bind(port, '127.0.0.1', resolve))
  forwarder.serve({ tcp, udp, takeEarly: () => [] })
  cleanups.push(() => forwarder.close())
  resolver.setClient({ address: '127.0.0.1', egress: options.egress })
  const toQuestion = (name: string, type: RecordType) =>
    encode({ type: 'query', id: 4711, flags: 0x0100, questions: [{ type, name }] })
  return {
    resolver,
    virtual,
    named,
    refused,
    asked: upstream.asked,
    ask: (name: string, type: RecordType = 'A') =>
      new Promise<DecodedPacket>((resolve, reject) => {
        const socket = createSocket('udp4')
        socket.on('error', reject)
        socket.on('message', (message) => {
          socket.close()
          resolve(decode(message))
        })
        socket.send(toQuestion(name, type), port, '127.0.0.1')
      }),
    askTcp: (name: string, type: RecordType = 'A') =>
      new Promise<DecodedPacket>((resolve, reject) => {
        const socket = connect({ port, host: '127.0.0.1' })
        const read = makeFrameReader()
        socket.on('error', reject)
        socket.on('close', () => reject(new Error('closed without an answer')))
        socket.on('data', (chunk) => {
          for (const message of read(chunk)) resolve(decode(message))
          socket.end()
        })
        socket.write(toFrame(toQuestion(name, type)))
      }),
  }
}

/** A real name server on the loopback interface for the names of `zone`. */
async function startNameServer() {
  let asked = 0
  const answer = (question: Buffer): Buffer => {
    asked += 1
    const packet = decode(question)
    const [{ name, type } = { name: '', type: 'A' as const }] = packet.questions ?? []
    const answers = zone[`${name.toLowerCase()} ${type}`]
    const flags = answers === undefined ? responseCodes.noSuchName : 0
    return encode({ type: 'response', id: packet.id, flags, questions: packet.questions ?? [], answers: answers ?? [] })
  }
  const tcp = createServer((socket) => {
    const read = makeFrameReader()
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      for (const question of read(chunk)) socket.write(toFrame(answer(question)))
    })
  })
  await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve))
  const { port } = tcp.address() as AddressInfo
  const udp = createSocket('udp4')
  udp.on('message', (question, from) => udp.send(answer(question), from.port, from.address))
  await new Promise<void>((resolve) => udp.bind(port, '127.0.0.1', resolve))
  cleanups.push(async () => {
    await new Promise<void>((resolve) => udp.close(resolve))
    await new Promise<void>((resolve) => tcp.close(() => resolve()))
  })
  return { port, asked: () => asked }
}

async function closedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise<void>((resolve) => server.close(() => resolve()))
  return port
}

function rcodeOf(packet: Packet): number {
  return (packet.flags ?? 0) & 15
}
