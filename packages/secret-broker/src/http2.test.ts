import { once } from 'node:events'
import { type ClientHttp2Session, connect, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import { Readable } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Authority } from './authority.ts'
import {
  type BrokerUnderTest,
  exchangeRaw,
  hostName,
  makeAuthorities,
  newGrant,
  startBroker,
  startHost,
  type TestHost,
} from './broker.test-utils.ts'

let authorities: { ofHosts: Authority; ofSandboxes: Authority }
let host: TestHost
let behavior: (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void
beforeAll(async () => {
  authorities = await makeAuthorities()
  host = await startHost({
    authority: authorities.ofHosts,
    http2: (stream, headers) => {
      stream.on('error', () => undefined)
      behavior(stream, headers)
    },
  })
})
afterAll(() => host[Symbol.asyncDispose]())

async function openSession(broker: BrokerUnderTest): Promise<ClientHttp2Session> {
  const socket = await broker.open({ ALPNProtocols: ['h2', 'http/1.1'] })
  expect(socket.alpnProtocol).toBe('h2')
  const session = connect(`https://${hostName}`, { createConnection: () => socket })
  session.on('error', () => undefined)
  return session
}

type Answer = { status: number; headers: IncomingHttpHeaders; body: string; trailers: IncomingHttpHeaders }

async function ask(
  session: ClientHttp2Session,
  headers: Record<string, string>,
  body?: string | Readable,
): Promise<Answer> {
  const stream = session.request({ ':path': '/', ...headers }, { endStream: body === undefined })
  if (typeof body === 'string') stream.end(body)
  else body?.pipe(stream)
  let trailers: IncomingHttpHeaders = {}
  stream.on('trailers', (found) => {
    trailers = found
  })
  const [found] = (await once(stream, 'response')) as [IncomingHttpHeaders & { ':status'?: number }]
  const parts: Buffer[] = []
  for await (const part of stream) parts.push(part)
  return { status: found[':status'] ?? 0, headers: found, body: Buffer.concat(parts).toString(), trailers }
}

function pieces(bytes: number): Readable {
  const piece = Buffer.alloc(64 * 1024, 'The quick brown fox. ')
  return Readable.from(Array.from({ length: bytes / piece.length }, () => piece))
}

test('100 streams of one connection have their own secrets, and the host’s trailers', async () => {
  const grants = Array.from({ length: 100 }, (_, index) => newGrant({ secretId: `sec_${index}`, name: `T${index}` }))
  await using broker = await startBroker({ ...authorities, hostPort: host.port, grants })
  let most = 0
  const open = new Set<ServerHttp2Stream>()
  behavior = (stream, headers) => {
    open.add(stream)
    most = Math.max(most, open.size)
    const parts: Buffer[] = []
    stream.on('data', (part: Buffer) => parts.push(part))
    stream.once('end', () => {
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
      stream.once('wantTrailers', () => {
        open.delete(stream)
        stream.sendTrailers({ 'grpc-status': '0', 'x-echo': headers.authorization ?? '' })
      })
      setTimeout(() => stream.end(`${headers.authorization} ${Buffer.concat(parts)}`), 20)
    })
  }
  const session = await openSession(broker)
  const answers = await Promise.all(
    grants.map(({ placeholder }, index) =>
      ask(session, { ':method': 'POST', te: 'trailers', authorization: `Bearer ${placeholder}` }, `body ${index}`),
    ),
  )
  expect(answers.map(({ body }) => body)).toEqual(
    grants.map(({ placeholder }, index) => `Bearer ${placeholder} body ${index}`),
  )
  expect(answers.map(({ trailers }) => [trailers['grpc-status'], trailers['x-echo']])).toEqual(
    grants.map(({ placeholder }) => ['0', `Bearer ${placeholder}`]),
  )
  expect([broker.opened, most > 50]).toEqual([1, true])
  session.destroy()
})

test('both sides of a call talk at the same time, and its end without a body has its trailers', async () => {
  const grant = newGrant()
  await using broker = await startBroker({ ...authorities, hostPort: host.port, grants: [grant] })
  behavior = (stream, headers) => {
    if (headers[':path'] === '/failed')
      return stream.respond({ ':status': 200, 'grpc-status': '7' }, { endStream: true })
    stream.respond({ ':status': 200 })
    stream.on('data', (part: Buffer) => void stream.write(`>${part}`))
    stream.once('end', () => stream.end())
  }
  const session = await openSession(broker)
  const call = session.request({ ':method': 'POST', ':path': '/talk', 'content-type': 'application/grpc' })
  let text = ''
  call.on('data', (part: Buffer) => {
    text += part
  })
  for (const part of ['one', 'two', grant.value.slice(0, 3)]) {
    call.write(part)
    await expect.poll(() => text.endsWith(`>${part}`), { interval: 5 }).toBe(true)
  }
  call.end()
  await once(call, 'end')
  const failed = await ask(session, { ':method': 'POST', ':path': '/failed' }, '')
  expect([failed.headers['grpc-status'], failed.body]).toEqual(['7', ''])
  session.destroy()
})

test('an authority, a host or a server name that is not the connection’s is refused with 421', async () => {
  const grant = newGrant()
  const reached: string[] = []
  behavior = (stream, headers) => {
    reached.push(String(headers[':authority']))
    stream.respond({ ':status': 200 })
    stream.end()
  }
  await using broker = await startBroker({ ...authorities, hostPort: host.port, grants: [grant] })
  const session = await openSession(broker)
  const key = { authorization: grant.placeholder }
  expect((await ask(session, { ':authority': 'other.test', ...key })).status).toBe(421)
  expect((await ask(session, { ':authority': hostName, host: 'other.test', ...key })).status).toBe(421)
  expect((await ask(session, { ':authority': `${hostName}:8443`, ...key })).status).toBe(421)
  expect(reached).toEqual([])
  expect((await ask(session, { ':authority': `${hostName}:443`, host: hostName, ...key })).status).toBe(200)
  expect(reached).toEqual([hostName])
  session.destroy()
})

test('a client of a host with HTTP/2 can speak HTTP/1.1, and one of a host without is not offered it', async () => {
  const grant = newGrant()
  await using either = await startHost({
    authority: authorities.ofHosts,
    http1: (request, response) => void response.end(`http/1 ${request.headers.authorization}`),
    http2: () => undefined,
  })
  await using both = await startBroker({ ...authorities, hostPort: either.port, grants: [grant] })
  for (let round = 0; round < 2; round++) {
    const text = await exchangeRaw(
      await both.open({ ALPNProtocols: ['http/1.1'] }),
      `GET / HTTP/1.1\r\nHost: ${hostName}\r\nConnection: close\r\nAuthorization: ${grant.placeholder}\r\n\r\n`,
    )
    expect(text).toContain(`http/1 ${grant.placeholder}`)
  }
  await using old = await startHost({ authority: authorities.ofHosts })
  await using broker = await startBroker({ ...authorities, hostPort: old.port, grants: [grant] })
  const socket: TLSSocket = await broker.open({ ALPNProtocols: ['h2', 'http/1.1'] })
  expect(socket.alpnProtocol).toBe('http/1.1')
  socket.destroy()
})

test('removing a grant resets its streams only; a client’s reset reaches the host', async () => {
  const grant = newGrant()
  const other = newGrant({ secretId: 'sec_2', name: 'OTHER' })
  const closed: string[] = []
  behavior = (stream, headers) => {
    stream.respond({ ':status': 200 })
    stream.write('begun')
    stream.once('close', () => closed.push(String(headers['x-name'])))
  }
  await using broker = await startBroker({ ...authorities, hostPort: host.port, grants: [grant, other] })
  const session = await openSession(broker)
  const begin = async (name: string, placeholder: string) => {
    const stream = session.request({ ':path': '/', 'x-name': name, authorization: placeholder })
    stream.on('error', () => undefined)
    await once(stream, 'response')
    return stream
  }
  const first = await begin('first', grant.placeholder)
  const second = await begin('second', other.placeholder)
  broker.setGrants([other])
  await once(first, 'close')
  await expect.poll(() => closed).toEqual(['first'])
  second.close()
  await expect.poll(() => closed).toEqual(['first', 'second'])
  session.destroy()
})

test('16 MB go up and down in one stream each, with a body that is inserted into beside them', async () => {
  const grant = newGrant({ positions: ['body'] })
  await using broker = await startBroker({ ...authorities, hostPort: host.port, grants: [grant] })
  const bytes = 16 * 1024 * 1024
  behavior = (stream, headers) => {
    let length = 0
    const parts: Buffer[] = []
    stream.on('data', (part: Buffer) => {
      length += part.length
      if (length < 1000) parts.push(part)
    })
    stream.once('end', () => {
      stream.respond({ ':status': 200, 'x-length': String(length), 'x-body': Buffer.concat(parts).toString() })
      if (headers[':path'] === '/down') pieces(bytes).pipe(stream)
      else stream.end()
    })
  }
  const session = await openSession(broker)
  const post = { ':method': 'POST' }
  const [up, down, inserted] = await Promise.all([
    ask(session, post, pieces(bytes)),
    ask(session, { ':path': '/down' }),
    ask(session, post, `k=${grant.placeholder}`),
  ])
  expect([up.headers['x-length'], down.body.length]).toEqual([String(bytes), bytes])
  expect(inserted.headers['x-body']).toBe(`k=${grant.placeholder}`)
  expect(inserted.headers['x-length']).toBe(String(grant.value.length + 2))
  session.destroy()
})
