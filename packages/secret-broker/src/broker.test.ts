import { once } from 'node:events'
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import { Agent, type RequestOptions, request } from 'node:https'
import { setTimeout as delay } from 'node:timers/promises'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { repeats } from '@threadbox/testkit/repeats'
import { afterAll, beforeAll, expect, test } from 'vitest'
import WebSocket, { type ClientOptions, WebSocketServer } from 'ws'
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
let behavior: (request: IncomingMessage, response: ServerResponse) => void
let host: TestHost
beforeAll(async () => {
  authorities = await makeAuthorities()
  host = await startHost({
    authority: authorities.ofHosts,
    http1: (incoming, response) => behavior(incoming, response),
  })
})
afterAll(() => host[Symbol.asyncDispose]())

type Seen = { method: string; url: string; headers: string[]; body: string; trailers: string[] }
let seen: Seen[] = []

/** A host that records requests, and repeats each in its response. */
function echoes(
  change: (
    seen: Seen,
  ) => Partial<{ status: number; headers: Record<string, string>; body: Buffer | string }> = () => ({}),
) {
  seen = []
  behavior = async (incoming, response) => {
    const parts: Buffer[] = []
    incoming.on('data', (part: Buffer) => parts.push(part)).on('error', () => undefined)
    await new Promise((resolve) => incoming.once('end', resolve))
    const one = {
      method: incoming.method ?? '',
      url: incoming.url ?? '',
      headers: incoming.rawHeaders,
      body: Buffer.concat(parts).toString(),
      trailers: incoming.rawTrailers,
    }
    seen.push(one)
    const { status = 200, headers = {}, body = JSON.stringify(one) } = change(one)
    response.writeHead(status, headers).end(body)
  }
}

type Answer = {
  status: number
  headers: IncomingMessage['headers']
  rawHeaders: string[]
  body: string
  incoming: IncomingMessage
}

/** A request through the broker, not ended yet. */
function openRequest(broker: BrokerUnderTest, { headers, ...rest }: RequestOptions = {}): ClientRequest {
  return request({
    host: '127.0.0.1',
    port: broker.port,
    servername: hostName,
    ca: broker.trusted,
    agent: false,
    headers: { host: hostName, ...(headers as Record<string, string>) },
    ...rest,
  })
}

async function ask(
  broker: BrokerUnderTest,
  options: RequestOptions & { body?: string | Buffer } = {},
): Promise<Answer> {
  const { body, ...rest } = options
  const sent = openRequest(broker, rest)
  sent.end(body)
  const [incoming] = (await once(sent, 'response')) as [IncomingMessage]
  const parts: Buffer[] = []
  for await (const part of incoming) parts.push(part)
  const { statusCode = 0, rawHeaders } = incoming
  return {
    status: statusCode,
    headers: incoming.headers,
    rawHeaders,
    body: Buffer.concat(parts).toString('latin1'),
    incoming,
  }
}

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

test('a placeholder that is not allowed where it is refuses the whole request, with the reason', async () => {
  echoes()
  const grant = newGrant({ methods: ['GET', 'POST'], pathPrefix: '/v1' })
  const other = newGrant({ secretId: 'sec_2', name: 'OTHER', hosts: ['other.example.test'] })
  await using broker = await startBroker({ ...authorities, hostPort: host.port, grants: [grant, other] })
  const header = { authorization: `Bearer ${grant.placeholder}` }
  const refusals: [RequestOptions & { body?: string }, string][] = [
    [{ path: `/v1?key=${grant.placeholder}` }, 'not allowed in the query'],
    [{ path: `/v1/${grant.placeholder}` }, 'not allowed in the path'],
    [{ path: '/v1', method: 'POST', body: `a=${grant.placeholder}` }, 'not allowed in the body'],
    [{ path: '/v1', method: 'DELETE', headers: header }, 'not for the method DELETE'],
    [{ path: '/v2', headers: header }, 'not for this path'],
    [{ path: '/v1/../admin', headers: header }, 'not for this path'],
    [{ path: '/v1', headers: { ...header, 'x-http-method-override': 'DELETE' } }, 'names another'],
    [{ path: '/v1', headers: { 'x-key': other.placeholder } }, 'not for this host'],
    [{ path: '/v1', headers: { [grant.placeholder]: 'x' } }, 'name of a header'],
  ]
  for (const [options, reason] of refusals) {
    const { status, body } = await ask(broker, options)
    expect([status, JSON.parse(body).error.code]).toEqual([403, 'secret.not-usable-here'])
    expect(body).toContain(reason)
  }
  expect(seen).toEqual([])
  expect(new Set(broker.uses.map(({ refused }) => refused))).toEqual(new Set(['secret.not-usable-here']))
  expect(broker.uses.map(({ secretId }) => secretId)).toEqual([
    'sec_1',
    'sec_1',
    'sec_1',
    'sec_1',
    'sec_1',
    'sec_1',
    'sec_1',
    'sec_2',
    'sec_1',
  ])
  expect(JSON.stringify([broker.uses, broker.log])).not.toContain(grant.value)
})

test('values are in headers, in Basic, in the query, in the path and in the body, encoded as the place requires', async () => {
  echoes()
  const grant = newGrant({ positions: ['header', 'query', 'path', 'body'], value: 'a+/b "ü' })
  await using broker = await startBroker({ ...authorities, hostPort: host.port, grants: [grant] })
  const { placeholder, value } = grant
  const encoded = encodeURIComponent(value)
  const json = { 'content-type': 'application/json' }
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const post = { method: 'POST' }
  await ask(broker, { path: `/${placeholder}/x?k=${placeholder}&n=1`, headers: { 'x-key': `k ${placeholder}` } })
  await ask(broker, { headers: { authorization: basic(`user:${placeholder}`) } })
  await ask(broker, { ...post, headers: json, body: JSON.stringify({ key: placeholder }) })
  await ask(broker, { ...post, headers: form, body: `key=${placeholder}&a=b` })
  await ask(broker, { ...post, body: `plain ${placeholder}` })
  expect(seen[0]?.url).toBe(`/${encoded}/x?k=${encoded}&n=1`)
  const headersOf = (index: number) => seen[index]?.headers.join('\n') ?? ''
  expect(headersOf(0)).toContain(Buffer.from(`k ${value}`).toString('latin1'))
  expect(headersOf(1)).toContain(basic(`user:${value}`))
  expect(JSON.parse(seen[2]?.body ?? '')).toEqual({ key: value })
  expect(seen[3]?.body).toBe(`key=${encoded}&a=b`)
  expect(seen[4]?.body).toBe(`plain ${value}`)
  expect(broker.uses.map(({ status, path }) => [status, path])).toEqual([
    [200, `/${placeholder}/x`],
    ...Array.from({ length: 4 }, () => [200, '/']),
  ])
})

test('a rule sets its header without a placeholder, only where the secret may be used', async () => {
  echoes()
  const grant = newGrant({ header: { name: 'X-Api-Key', prefix: 'key ' }, pathPrefix: '/v1' })
  await using broker = await startBroker({ ...authorities, hostPort: host.port, grants: [grant] })
  await ask(broker, { path: '/v1/a', headers: { 'x-api-key': 'mine' } })
  await ask(broker, { path: '/other', headers: { 'x-api-key': 'mine' } })
  const keys = seen.map(({ headers }) =>
    headers.filter((_, index) => headers[index - 1]?.toLowerCase() === 'x-api-key'),
  )
  expect(keys).toEqual([[`key ${grant.value}`], ['mine']])
})

test('a response has no form of the value: in headers, trailers, bodies and compressed ones', async () => {
  const grant = newGrant()
  await using broker = await startBroker({ ...authorities, hostPort: host.port, grants: [grant] })
  const headers = { authorization: `Bearer ${grant.placeholder}` }
  const { value, placeholder } = grant
  const text = [
    'plain',
    value,
    basic(`u:${value}`),
    encodeURIComponent(value),
    JSON.stringify(value).replaceAll('/', '\\/'),
  ].join('\n')
  const codings = { gzip: gzipSync, br: brotliCompressSync, deflate: deflateSync, zstd: zstdCompressSync }
  for (const [coding, compress] of Object.entries(codings)) {
    echoes(() => ({ headers: { 'content-encoding': coding, 'x-echo': value }, body: compress(text) }))
    const answer = await ask(broker, { headers })
    expect(answer.headers['content-encoding']).toBeUndefined()
    expect(answer.headers['x-echo']).toBe(placeholder)
    expect(answer.body).toContain('plain')
    expect(answer.body).toContain(placeholder)
    expect(answer.body + answer.rawHeaders).not.toContain(value)
    expect(answer.body).not.toContain(encodeURIComponent(value))
    expect(Buffer.from(answer.body.split('Basic ')[1] ?? '', 'base64').toString()).not.toContain(value.slice(4))
  }
  behavior = (incoming, response) => {
    incoming.resume()
    response.writeHead(200, { trailer: 'x-echo', 'transfer-encoding': 'chunked' })
    response.write(value)
    response.addTrailers({ 'x-echo': value })
    response.end()
  }
  const { incoming, body } = await ask(broker, { headers })
  expect([body, incoming.trailers['x-echo']]).toEqual([placeholder, placeholder])
  echoes(() => ({ headers: { 'content-encoding': 'own, gzip' }, body: text }))
  const refused = await ask(broker, { headers })
  expect([refused.status, JSON.parse(refused.body).error.code]).toEqual([502, 'secret.response-unreadable'])
  behavior = (incoming, response) => {
    incoming.resume()
    incoming.socket.end(`HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`)
    response.destroy()
  }
  expect((await ask(broker, { headers })).body).toContain('secret.response-unreadable')
  expect(JSON.stringify([broker.uses, broker.log])).not.toContain(value)
})

test('the announced length of a body stays true', async () => {
  const grant = newGrant({ placeholder: 'short-tbx' })
  await using broker = await startBroker({ ...authorities, hostPort: host.port, grants: [grant] })
  const body = `a${grant.value}b`
  echoes(() => ({ headers: { 'content-length': String(body.length) }, body }))
  const answer = await ask(broker, { headers: { 'x-key': grant.placeholder } })
  expect(answer.headers['content-length']).toBe(String(body.length))
  expect(answer.body).toBe(`a${'short-tbx'.padEnd(grant.value.length, '*')}b`)
})

test('HEAD, 204 and 304 have no body, and keep their headers', async () => {
  await using broker = await startBroker({ ...authorities, hostPort: host.port, grants: [newGrant()] })
  behavior = (incoming, response) => {
    if (incoming.url === '/head')
      return void response.writeHead(200, { 'content-length': 1234, 'content-encoding': 'gzip' }).end()
    response.writeHead(Number(incoming.url?.slice(1)), { etag: '"x"' }).end()
  }
  expect((await ask(broker, { path: '/head', method: 'HEAD' })).headers).toMatchObject({
    'content-length': '1234',
    'content-encoding': 'gzip',
  })
  for (const status of [204, 304])
    expect(await ask(broker, { path: `/${status}` })).toMatchObject({ status, body: '', headers: { etag: '"x"' } })
})

test('a body over 1 MiB, or a compressed one, with a placeholder is refused and not sent', async () => {
  echoes()
  const grant = newGrant({ positions: ['body'] })
  await using broker = await startBroker({ ...authorities, hostPort: host.port, grants: [grant] })
  const large = Buffer.concat([Buffer.from(grant.placeholder), Buffer.alloc(1024 * 1024)])
  const chunked = { 'transfer-encoding': 'chunked' }
  const attempts: [Record<string, string>, Buffer, string][] = [
    [{}, large, 'secret.body-too-large'],
    [chunked, large, 'secret.body-too-large'],
    [{ 'content-encoding': 'gzip' }, gzipSync(`a ${grant.placeholder}`), 'secret.body-encoded'],
  ]
  for (const [headers, body, code] of attempts) {
    const answer = await ask(broker, { method: 'POST', headers, body })
    expect(JSON.parse(answer.body).error.code).toBe(code)
  }
  expect(seen).toEqual([])
  const plain = gzipSync('nothing')
  await ask(broker, { method: 'POST', headers: { 'content-encoding': 'gzip' }, body: plain })
  expect(seen.map(({ body }) => body)).toEqual([plain.toString()])
})

test('a placeholder late in a streamed body ends the request before it is out', async () => {
  const grant = newGrant()
  await using broker = await startBroker({ ...authorities, hostPort: host.port, grants: [grant] })
  const got: Buffer[] = []
  behavior = (incoming) => {
    incoming.on('data', (part: Buffer) => got.push(part))
    incoming.on('error', () => undefined)
  }
  const sent = openRequest(broker, {
    method: 'POST',
  })
  sent.write(Buffer.alloc(100_000, 'x'))
  await expect.poll(() => Buffer.concat(got).length).toBe(100_000)
  sent.write(grant.placeholder.slice(0, 10))
  sent.write(grant.placeholder.slice(10))
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  expect(answer.statusCode).toBe(403)
  expect(Buffer.concat(got).toString()).not.toContain('tbx')
  sent.destroy()
})

test('a host waits for a body that was announced with Expect until it wants it', async () => {
  echoes()
  const grant = newGrant({ positions: ['header', 'body'] })
  await using broker = await startBroker({ ...authorities, hostPort: host.port, grants: [grant] })
  for (const headers of [{ 'content-length': '2000000' }, { 'content-length': '5' }]) {
    const sent = openRequest(broker, {
      method: 'PUT',
      headers: { expect: '100-continue', ...headers },
    })
    sent.flushHeaders()
    await once(sent, 'continue')
    sent.end(Buffer.alloc(Number(headers['content-length']), 'x'))
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    answer.resume()
    await once(answer, 'end')
  }
  expect(seen.map(({ body }) => body.length)).toEqual([2_000_000, 5])
  const refused = openRequest(broker, {
    method: 'TRACE',
    headers: { expect: '100-continue' },
  })
  refused.flushHeaders()
  const [answer] = (await once(refused, 'response')) as [IncomingMessage]
  expect(answer.statusCode).toBe(400)
  refused.destroy()
})

test('events of a stream arrive one by one, also one that ends like a value begins', async () => {
  const grant = newGrant()
  await using broker = await startBroker({ ...authorities, hostPort: host.port, grants: [grant] })
  let push: (text: string) => void = () => undefined
  behavior = (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    push = (text) => void response.write(text)
  }
  const sent = openRequest(broker).end()
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  let text = ''
  answer.on('data', (part: Buffer) => {
    text += part
  })
  const events = repeats({ what: 'events of a stream through the broker', byDefault: 5, full: 1000 })
  for (let index = 0; index < events; index++) {
    push(`data: ${index}\n\n${grant.value.slice(0, 3)}`)
    await expect.poll(() => text.endsWith(`data: ${index}\n\n${grant.value.slice(0, 3)}`), { interval: 5 }).toBe(true)
  }
  push(grant.value.slice(3))
  await expect.poll(() => text.endsWith(grant.placeholder), { interval: 5 }).toBe(true)
  expect(text).not.toContain(grant.value.slice(3))
  sent.destroy()
})

test('large bodies stream through in both directions while the other side is slow, in bounded memory', async () => {
  const grant = newGrant()
  await using broker = await startBroker({ ...authorities, hostPort: host.port, grants: [grant] })
  const bytes = repeats({ what: 'MiB up and down through the broker', byDefault: 64, full: 1024 }) * 1024 * 1024
  const piece = Buffer.alloc(256 * 1024, 'The quick brown fox. ')
  let received = 0
  behavior = (incoming, response) => {
    incoming.on('data', (part: Buffer) => {
      received += part.length
      if (received > 1024 * 1024 && received - part.length <= 1024 * 1024) {
        incoming.pause()
        setTimeout(() => incoming.resume(), 150)
      }
    })
    incoming.once('end', () => {
      response.writeHead(200, { 'content-length': bytes })
      let left = bytes
      const send = () => {
        while (left > 0) {
          left -= piece.length
          if (!response.write(piece)) return void response.once('drain', send)
        }
        response.end()
      }
      send()
    })
  }
  const before = process.memoryUsage.rss()
  const sent = openRequest(broker, {
    method: 'PUT',
    headers: { 'content-length': bytes },
  })
  const answered = once(sent, 'response')
  let written = 0
  for (; written < bytes; written += piece.length) if (!sent.write(piece)) await once(sent, 'drain')
  sent.end()
  const [answer] = (await answered) as [IncomingMessage]
  expect(received).toBe(bytes)
  let got = 0
  answer.on('data', (part: Buffer) => {
    got += part.length
  })
  answer.pause()
  await delay(100)
  answer.resume()
  await once(answer, 'end')
  expect(got).toBe(bytes)
  // Host, broker and client are in this process. The full set sends more than the limit.
  expect(process.memoryUsage.rss() - before).toBeLessThan(400 * 1024 * 1024)
})

test('a WebSocket has the value in its handshake only, and none in frames of the host', async () => {
  const grant = newGrant({ positions: ['header', 'query'] })
  const asked: string[] = []
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: true })
  await using upgrading = await startHost({
    authority: authorities.ofHosts,
    onServer: (server) =>
      server.on('upgrade', (incoming: IncomingMessage, socket, head) => {
        asked.push(`${incoming.url} ${incoming.headers['x-key']} ${incoming.headers['sec-websocket-extensions']}`)
        if (incoming.url === '/no') return void socket.end('HTTP/1.1 401 Unauthorized\r\ncontent-length: 4\r\n\r\nnope')
        sockets.handleUpgrade(incoming, socket, head, (opened) => {
          opened.send(`hello ${grant.value}`)
          opened.on('message', (data) => opened.send(data, { binary: false }))
        })
      }),
  })
  await using open = await startBroker({ ...authorities, hostPort: upgrading.port, grants: [grant] })
  const dial = (path: string) =>
    new WebSocket(`wss://127.0.0.1:${open.port}${path}`, {
      servername: hostName,
      ca: open.trusted,
      headers: { host: hostName, 'x-key': grant.placeholder },
    } as ClientOptions)
  const socket = dial(`/ws?k=${grant.placeholder}`)
  const messages: string[] = []
  socket.on('message', (data) => messages.push(String(data)))
  await once(socket, 'open')
  for (const text of ['one', 'g', grant.placeholder, 'x'.repeat(200_000)]) socket.send(text)
  await expect.poll(() => messages.length).toBe(5)
  expect(messages.slice(0, 4)).toEqual([`hello ${grant.placeholder}`, 'one', 'g', grant.placeholder])
  expect(asked).toEqual([`/ws?k=${encodeURIComponent(grant.value)} ${grant.value} undefined`])
  open.setGrants([])
  const [code] = await once(socket, 'close')
  expect(code).toBe(1006)
  const failed = dial('/ws')
  failed.on('error', () => undefined)
  await once(failed, 'open')
  failed.terminate()
  const refused = dial('/no')
  const [, answer] = (await once(refused, 'unexpected-response')) as [unknown, IncomingMessage]
  expect(answer.statusCode).toBe(401)
  refused.on('error', () => undefined)
  refused.terminate()
})

test('removing a grant ends the requests that use it, and no other; so does the signal of the connection', async () => {
  const grant = newGrant()
  const other = newGrant({ secretId: 'sec_2', name: 'OTHER' })
  await using broker = await startBroker({ ...authorities, hostPort: host.port, grants: [grant, other] })
  let open = 0
  behavior = (incoming, response) => {
    open++
    response.writeHead(200).write('begun')
    incoming.socket.once('close', () => open--)
  }
  const begin = async (placeholder: string) => {
    const sent = openRequest(broker, {
      headers: { 'x-key': placeholder },
    }).end()
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    const ended = new Promise<string>((resolve) =>
      answer.on('error', () => resolve('cut')).on('end', () => resolve('ended')),
    )
    answer.resume()
    return { sent, ended }
  }
  const first = await begin(grant.placeholder)
  const second = await begin(other.placeholder)
  const start = performance.now()
  broker.setGrants([other])
  expect(await first.ended).toBe('cut')
  expect(performance.now() - start).toBeLessThan(1000)
  await expect.poll(() => open).toBe(1)
  broker.signal.abort()
  expect(await second.ended).toBe('cut')
  await broker.served()
  await expect.poll(() => open).toBe(0)
})

test('a grant that is removed while a body arrives is not inserted into it', async () => {
  echoes()
  const grant = newGrant({ positions: ['body'] })
  await using broker = await startBroker({ ...authorities, hostPort: host.port, grants: [grant] })
  const sent = openRequest(broker, {
    method: 'POST',
    headers: { expect: '100-continue' },
  })
  sent.write(grant.placeholder)
  // Sent by the broker when it begins to collect the body.
  await once(sent, 'continue')
  broker.setGrants([])
  sent.end()
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  answer.resume()
  expect([answer.statusCode, seen]).toEqual([403, []])
})

test('while grants are unknown, a request waits for its repetition: 503 with Retry-After', async () => {
  echoes()
  await using broker = await startBroker({ ...authorities, hostPort: host.port })
  broker.setGrants(undefined)
  const early = await ask(broker)
  expect([early.status, early.headers['retry-after'], JSON.parse(early.body).error.code]).toEqual([
    503,
    '1',
    'secret.not-ready',
  ])
  broker.setGrants([newGrant()])
  expect((await ask(broker)).status).toBe(200)
})

test('connections are kept on both sides, and a client sees when the host closes one', async () => {
  echoes((one) => (one.url === '/last' ? { headers: { connection: 'close' } } : {}))
  await using broker = await startBroker({ ...authorities, hostPort: host.port, grants: [newGrant()] })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  for (let index = 0; index < 5; index++) expect((await ask(broker, { agent })).status).toBe(200)
  expect(broker.opened).toBe(1)
  await ask(broker, { agent, path: '/last' })
  await expect.poll(() => Object.keys(agent.freeSockets)).toEqual([])
  expect((await ask(broker, { agent })).status).toBe(200)
  agent.destroy()
})

test('a socket from which the first bytes were read and put back is served like any other', async () => {
  echoes()
  const grant = newGrant()
  await using broker = await startBroker({ ...authorities, hostPort: host.port, grants: [grant], readsFirst: true })
  for (let round = 0; round < 3; round++) {
    expect((await ask(broker, { headers: { 'x-key': grant.placeholder } })).body).toContain(grant.placeholder)
  }
  expect(seen.map(({ headers }) => headers.includes(grant.value))).toEqual([true, true, true])
})

test('what comes without TLS is refused, whatever it is', async () => {
  echoes()
  const grant = newGrant({ hosts: [`${hostName}:80`] })
  await using broker = await startBroker({ ...authorities, hostPort: host.port, grants: [grant], port: 80 })
  const { connect } = await import('node:net')
  const text = await exchangeRaw(
    connect(broker.port, '127.0.0.1'),
    `GET / HTTP/1.1\r\nHost: ${hostName}\r\nX-Key: ${grant.placeholder}\r\n\r\n`,
  )
  expect(text).toMatch(/^HTTP\/1\.1 403 /)
  expect(text).toContain('not encrypted')
  expect(broker.opened).toBe(0)
})
