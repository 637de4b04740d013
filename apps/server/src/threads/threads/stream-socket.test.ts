import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type Entry, maxStreams, type StreamClientFrame, type StreamServerFrame } from '@threadbox/protocol/public'
import { makeLogger } from '@threadbox/telemetry'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'
import { makeFrontServer } from '../../front-server.ts'
import { serveStreams } from './stream-socket.ts'

let server: TestApplication
let listener: Server
let owner: TestPerson
let threadId: string
const pages: Page[] = []
beforeEach(async () => {
  server = await makeTestApplication()
  owner = await server.signUpOwner()
  threadId = (await server.areas.threads.threads.create(owner.userId, {})).id
  listener = makeFrontServer({ app: server.app, previews: server.previewServer, sockets: server.socketServer })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
})
afterEach(async () => {
  for (const page of pages.splice(0)) page.socket.terminate()
  await server[Symbol.asyncDispose]()
  listener.closeAllConnections()
  listener.close()
})

type Page = {
  socket: WebSocket
  frames: StreamServerFrame[]
  closed: number | undefined
  /** Status of the HTTP response if the socket was refused. */
  refused: number | undefined
  send(frame: StreamClientFrame | string | Buffer): void
  /** `opened`, `ended stream.limit-reached`, or `e3` for an event of entry e3, in order. */
  seen(stream: number): string[]
}

const port = () => (listener.address() as AddressInfo).port
function connect(options: { headers?: Record<string, string>; port?: number } = {}): Page {
  const socket = new WebSocket(`ws://127.0.0.1:${options.port ?? port()}/api/v1/events/socket`, {
    headers: { ...owner.headers, origin: `http://127.0.0.1:${port()}`, ...options.headers },
  })
  const page: Page = {
    socket,
    frames: [],
    closed: undefined,
    refused: undefined,
    send: (frame) => socket.send(typeof frame === 'string' || Buffer.isBuffer(frame) ? frame : JSON.stringify(frame)),
    seen: (stream) =>
      page.frames.flatMap((frame) => ('stream' in frame && frame.stream === stream ? [wordOf(frame)] : [])),
  }
  socket.on('message', (data: Buffer) => page.frames.push(JSON.parse(data.toString()) as StreamServerFrame))
  socket.on('unexpected-response', (request, response) => {
    page.refused = response.statusCode
    request.destroy()
  })
  socket.on('error', () => {})
  socket.on('close', (code) => {
    page.closed = code
  })
  pages.push(page)
  return page
}
function wordOf(frame: StreamServerFrame): string {
  if (frame.type === 'event') return 'entry' in frame.event ? frame.event.entry.id : frame.event.type
  return 'error' in frame && frame.error !== null ? `${frame.type} ${frame.error.code}` : frame.type
}
async function opened(...frames: (StreamClientFrame | string | Buffer)[]): Promise<Page> {
  const page = connect()
  await once(page.socket, 'open')
  for (const frame of frames) page.send(frame)
  return page
}
const openThread = (stream: number, after = 0, id = threadId) =>
  ({ type: 'open', stream, source: 'thread', threadId: id, after }) as const
const openUser = (stream: number) => ({ type: 'open', stream, source: 'user' }) as const

const entry = (id: string, text = id): Entry => ({
  id,
  turnId: 'n1',
  at: 1,
  kind: 'text',
  stepId: 'p1',
  text,
  status: 'done',
})
const record = (id: string, text = id, thread = threadId) =>
  server.areas.threads.log.append(thread, [{ type: 'entry-added', entry: entry(id, text) }])

test('one socket carries the streams of a page: each opens, replays after its number, and continues live', async () => {
  const other = (await server.areas.threads.threads.create(owner.userId, {})).id
  await record('e1')
  await record('e2')
  const page = await opened(openUser(1), openThread(2, 1), openThread(3, 0, other))
  await expect.poll(() => page.seen(2)).toEqual(['opened', 'e2'])
  await expect.poll(() => [page.seen(1), page.seen(3)]).toEqual([['opened'], ['opened']])
  await record('e3')
  await record('o1', 'o1', other)
  await server.areas.threads.threads.update(owner.userId, threadId, { title: 'New title' })
  await expect.poll(() => page.seen(2)).toEqual(['opened', 'e2', 'e3', 'thread-updated'])
  expect(page.seen(3)).toEqual(['opened', 'o1'])
  await expect.poll(() => page.seen(1)).toContain('thread-updated')
})

test('a stream that is closed sends nothing more, and a new one can be opened', async () => {
  const page = await opened(openThread(1), openThread(2))
  await expect.poll(() => [page.seen(1), page.seen(2)]).toEqual([['opened'], ['opened']])
  page.send({ type: 'close', stream: 1 })
  page.send(openThread(3))
  await expect.poll(() => page.seen(3)).toEqual(['opened'])
  await record('e1')
  await expect
    .poll(() => [page.seen(2), page.seen(3)])
    .toEqual([
      ['opened', 'e1'],
      ['opened', 'e1'],
    ])
  expect(page.seen(1)).toEqual(['opened'])
})

test('a stream that cannot continue ends with the reason, and the socket stays', async () => {
  const other = await server.addPerson('other')
  const foreign = (await server.areas.threads.threads.create(other.userId, {})).id
  const page = await opened(openThread(1, 99), openThread(2, 0, 't0'), openThread(3, 0, foreign), openThread(4))
  await expect.poll(() => page.seen(1)).toEqual(['opened', 'reset', 'ended'])
  await expect.poll(() => page.seen(2)).toEqual(['ended thread.not-found'])
  await expect.poll(() => page.seen(3)).toEqual(['ended thread.not-found'])
  await record('e1')
  await expect.poll(() => page.seen(4)).toEqual(['opened', 'e1'])
})

test.each<[string, string | Buffer, number | null]>([
  ['nothing', '', null],
  ['invalid JSON', '{', null],
  ['JSON of another kind', '[]', null],
  ['null', 'null', null],
  ['binary data', Buffer.from(JSON.stringify({ type: 'close', stream: 1 })), null],
  [
    'more bytes than allowed',
    JSON.stringify({ type: 'open', stream: 5, source: 'user', more: 'x'.repeat(8000) }),
    null,
  ],
  ['an unknown type', JSON.stringify({ type: 'pause', stream: 1 }), 1],
  ['an unknown source', JSON.stringify({ type: 'open', stream: 7, source: 'files' }), 7],
  ['an unknown field', JSON.stringify({ type: 'open', stream: 7, source: 'user', after: 1 }), 7],
  ['an invalid number', JSON.stringify({ type: 'open', stream: 7, source: 'thread', threadId: 't', after: -1 }), 7],
  ['a stream that is already open', JSON.stringify({ type: 'open', stream: 1, source: 'user' }), 1],
])('a message with %s gets an error and disturbs no stream', async (_title, message, stream) => {
  const page = await opened(openThread(1))
  await expect.poll(() => page.seen(1)).toEqual(['opened'])
  page.send(message)
  await expect
    .poll(() => page.frames.find(({ type }) => type === 'error'))
    .toMatchObject({
      stream,
      error: { code: 'stream.frame-invalid', kind: 'invalid', remedy: expect.stringContaining('JSON') },
    })
  await record('e1')
  await expect.poll(() => page.seen(1)).toContain('e1')
  expect(page.closed).toBeUndefined()
})

test('a message beyond the frame limit ends the socket with 1009', async () => {
  const page = await opened('x'.repeat(300 * 1024))
  await expect.poll(() => page.closed).toBe(1009)
})

test('a socket carries no more streams than allowed', async () => {
  const page = await opened(...Array.from({ length: maxStreams + 1 }, (_, index) => openThread(index + 1)))
  await expect.poll(() => page.seen(maxStreams + 1)).toEqual(['ended stream.limit-reached'])
  page.send({ type: 'close', stream: 1 })
  page.send(openThread(100))
  await expect.poll(() => page.seen(100)).toEqual(['opened'])
  await record('e1')
  await expect.poll(() => page.seen(maxStreams)).toEqual(['opened', 'e1'])
})

describe('a socket is refused', () => {
  test.each<[string, () => Record<string, string>, number]>([
    ['without a session', () => ({ cookie: '' }), 401],
    ['with a key that does not exist', () => ({ cookie: '', authorization: 'Bearer threadbox_none' }), 401],
    ['from another site', () => ({ origin: 'https://evil.example.com' }), 403],
    ['from a preview', () => ({ origin: `http://8000-abc.test00.localhost:${port()}` }), 403],
    ['from this name at another port', () => ({ origin: 'http://127.0.0.1:1' }), 403],
    ['from a frame without an origin', () => ({ origin: 'null' }), 403],
    ['under another name', () => ({ host: 'evil.example.com' }), 403],
  ])('O12: %s', async (_title, headers, status) => {
    const page = connect({ headers: headers() })
    await expect.poll(() => page.refused).toBe(status)
  })

  test('and a plain request to its URL gets an error that says so', async () => {
    const response = await server.call('GET', '/api/v1/events/socket', { person: owner })
    expect([response.status, await response.json()]).toMatchObject([400, { error: { code: 'stream.socket-only' } }])
  })
})

test('O12: a socket is closed within 5 s of the sign-out, and of the end of an API key', async () => {
  const created = await server.call('POST', '/api/v1/api-keys', { body: { name: 'key' }, person: owner })
  const key = (await created.json()) as { id: string; secret: string }
  const byKey = connect({ headers: { cookie: '', authorization: `Bearer ${key.secret}` } })
  const bySession = connect()
  await Promise.all([once(byKey.socket, 'open'), once(bySession.socket, 'open')])
  await server.call('DELETE', `/api/v1/api-keys/${key.id}`, { person: owner })
  await expect.poll(() => byKey.closed, { timeout: 5000 }).toBe(4001)
  expect(bySession.closed).toBeUndefined()
  await server.call('POST', '/api/v1/auth/sign-out', { person: owner })
  await expect.poll(() => bySession.closed, { timeout: 5000 }).toBe(4001)
}, 20_000)

test('C12: a socket is closed within 5 s of the end of its person’s account', async () => {
  const ben = await server.addPerson('Ben')
  const created = await server.call('POST', '/api/v1/api-keys', { body: { name: 'key' }, person: ben })
  const key = (await created.json()) as { secret: string }
  const byKey = connect({ headers: { cookie: '', authorization: `Bearer ${key.secret}` } })
  const bySession = connect({ headers: ben.headers })
  await Promise.all([once(byKey.socket, 'open'), once(bySession.socket, 'open')])
  await server.areas.people.leaving.erase(ben.userId, ben.userId)
  await expect.poll(() => [byKey.closed, bySession.closed], { timeout: 5000 }).toEqual([4001, 4001])
  expect((await server.call('GET', '/api/v1/me', { person: ben })).status).toBe(401)
}, 20_000)

test('a server that stops closes its sockets', async () => {
  const page = await opened(openUser(1))
  await expect.poll(() => page.seen(1)).toEqual(['opened'])
  server.socketServer.close()
  await expect.poll(() => page.closed).toBe(1001)
})

/** Memory in use after a full collection. */
function heldMegabytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 1024 / 1024
}

test('a page that acknowledges nothing gets one window, takes no more memory, and then loses nothing', async () => {
  const page = await opened(openThread(1))
  await expect.poll(() => page.seen(1)).toEqual(['opened'])
  const text = 'x'.repeat(64 * 1024)
  const write = (index: number) =>
    server.areas.threads.log.append(threadId, [
      { type: 'entry-updated', entry: { ...entry(`e${index}`, text), kind: 'reasoning' } as Entry },
    ])
  for (let index = 1; index <= 100; index += 1) await write(index)
  const received = () => page.seen(1).length
  await expect.poll(received).toBeGreaterThan(3)
  const before = { count: received(), megabytes: heldMegabytes() }
  for (let index = 101; index <= 500; index += 1) await write(index)
  // 26 MB were recorded since then.
  expect(heldMegabytes() - before.megabytes).toBeLessThan(12)
  expect(received()).toBe(before.count)
  expect(before.count).toBeLessThan(8)
  let characters = 0
  for (const frame of page.frames) characters += JSON.stringify(frame).length
  page.socket.on('message', (data: Buffer) => {
    characters += data.toString().length
    page.send({ type: 'ack', characters })
  })
  page.send({ type: 'ack', characters })
  await expect.poll(received, { timeout: 30_000 }).toBe(501)
  expect(page.seen(1).slice(1)).toEqual(Array.from({ length: 500 }, (_, index) => `e${index + 1}`))
}, 90_000)

test('a page that acknowledges nothing for too long is disconnected', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await using _server = { [Symbol.asyncDispose]: async () => void server.close() }
  await once(server, 'listening')
  async function* messages() {
    for (;;) yield { data: JSON.stringify({ type: 'status-updated', filler: 'x'.repeat(1000) }) }
  }
  const sources = { user: messages, thread: async () => messages }
  const caller = { userId: 'u1', sessionId: 's1', apiKeyId: null, workspaceIds: null }
  const limits = { maxUnacknowledged: 4000, stallMs: 50 }
  const logger = makeLogger({ process: 'test', level: 'fatal' })
  server.on('connection', (peer) => serveStreams({ sources, logger, limits }, { peer, caller }))
  const page = connect({ port: (server.address() as AddressInfo).port })
  await once(page.socket, 'open')
  page.send(openUser(1))
  await expect.poll(() => page.closed).toBe(4008)
})
