import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { createClient, type StreamStatus, type ThreadboxClient } from '@threadbox/sdk'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  makeTestApplication,
  type TestApplication,
  type TestPerson,
} from '../../apps/server/src/application.test-utils.ts'
import { makeFrontServer } from '../../apps/server/src/front-server.ts'

/** The pages’ client against the real server, over a line that the test can cut. */
let server: TestApplication
let listener: ReturnType<typeof makeFrontServer>
let owner: TestPerson
let threadId: string
let line: Line
let stop: AbortController
beforeEach(async () => {
  stop = new AbortController()
  server = await makeTestApplication()
  owner = await server.signUpOwner()
  threadId = (await server.areas.threads.threads.create(owner.userId, {})).id
  listener = makeFrontServer({ app: server.app, previews: server.previewServer, sockets: server.socketServer })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  line = await startLine((listener.address() as AddressInfo).port)
})
afterEach(async () => {
  stop.abort()
  await line[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
  listener.closeAllConnections()
  listener.close()
})

/** A TCP connection to the server that forwards bytes, or cuts each connection after this many of them. */
type Line = AsyncDisposable & {
  port: number
  /** How many bytes of each next connection reach the client. */
  cutAfter: () => number
  /** Breaks WebSocket handshakes, as a proxy without support for them does. */
  refusesSockets: boolean
  handshakes: number
  cutAll(): void
}

async function startLine(serverPort: number): Promise<Line> {
  const open = new Set<Socket>()
  const front: Server = createServer((near) => {
    const far = connect(serverPort, '127.0.0.1')
    let left = line.cutAfter()
    for (const socket of [near, far]) {
      open.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        open.delete(socket)
        near.destroy()
        far.destroy()
      })
    }
    near.on('data', (data: Buffer) => {
      const isHandshake = /^GET \/api\/v1\/events\/socket /.test(data.toString('latin1'))
      if (isHandshake) line.handshakes += 1
      if (isHandshake && line.refusesSockets) near.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n')
      else far.write(data)
    })
    far.on('data', (data: Buffer) => {
      near.write(data.subarray(0, left))
      left -= data.length
      if (left <= 0) near.end()
    })
  })
  front.listen(0, '127.0.0.1')
  await once(front, 'listening')
  return {
    port: (front.address() as AddressInfo).port,
    cutAfter: () => Number.POSITIVE_INFINITY,
    refusesSockets: false,
    handshakes: 0,
    cutAll: () => {
      for (const socket of open) socket.destroy()
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of open) socket.destroy()
      front.close()
    },
  }
}

/** A page of the owner: its client, and what it received. */
type TestPage = {
  client: ThreadboxClient
  seen: number[]
  states: string[]
  userStates: string[]
  ended: Promise<unknown>
}

function openPage(after = 0): TestPage {
  const baseUrl = `http://127.0.0.1:${line.port}`
  const headers = { ...owner.headers, origin: baseUrl }
  const client = createClient({
    baseUrl,
    fetch: (input, init) => fetch(input, { ...init, headers: { ...headers, ...(init?.headers as object) } }),
    streamSocket: (url) => new WebSocket(url, { headers } as never),
  })
  const page = { client, seen: [] as number[], states: [] as string[], userStates: [] as string[] }
  const note = (states: string[]) => (status: StreamStatus) => states.push(status.state)
  const options = { signal: stop.signal, onStatus: note(page.userStates), onEvent: () => {} }
  const user = client.streamUser(options)
  const thread = client.streamThread(threadId, {
    after,
    signal: stop.signal,
    onStatus: note(page.states),
    onEvent: (event) => {
      if ('seq' in event) page.seen.push(event.seq)
    },
  })
  const ended = Promise.allSettled([user, thread])
  return { ...page, ended }
}

const record = (text: string) =>
  server.areas.threads.log.append(threadId, [
    { type: 'entry-added', entry: { id: text, turnId: 'n1', at: 1, kind: 'text', stepId: 'p', text, status: 'done' } },
  ])
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

test('a page opens one socket for its streams, and two pages of one thread see the same', async () => {
  const [one, two] = [openPage(), openPage()]
  await expect.poll(() => [one.states, one.userStates, two.states]).toEqual(Array(3).fill(['connecting', 'open']))
  for (const text of ['a', 'b', 'c']) await record(text)
  await expect.poll(() => [one.seen, two.seen]).toEqual([upTo(3), upTo(3)])
  expect(line.handshakes).toBe(2)
})

test('connections that break in the middle of messages lose nothing and repeat nothing', async () => {
  // Where each of the first connections breaks: right after the handshake, and a little later each time.
  let count = 0
  line.cutAfter = () => {
    count += 1
    return count > 15 ? Number.POSITIVE_INFINITY : 100 + count * 37
  }
  const page = openPage()
  for (const index of upTo(200)) await record(`${index} ${'x'.repeat(index)}`)
  await expect.poll(() => page.seen.length, { timeout: 60_000 }).toBe(200)
  expect(page.seen).toEqual(upTo(200))
  expect(line.handshakes).toBeGreaterThan(15)
}, 90_000)

test('a hidden page holds no connection, and continues where it was', async () => {
  const page = openPage()
  await expect.poll(() => page.userStates).toEqual(['connecting', 'open'])
  await record('a')
  await expect.poll(() => page.seen).toEqual([1])
  page.client.suspendStreams()
  await expect.poll(connections).toBe(0)
  await record('b')
  await record('c')
  expect(page.seen).toEqual([1])
  page.client.resumeStreams()
  await expect.poll(() => page.seen).toEqual([1, 2, 3])
  // Connecting is reported again, because the user’s events are not replayed; the server is never reported as not
  // responding.
  expect([page.states, page.userStates]).toEqual(Array(2).fill(['connecting', 'open', 'open']))
})
const connections = () => new Promise((resolve) => listener.getConnections((_error, count) => resolve(count)))

test('a page that is hidden and shown ten times has one socket', async () => {
  const page = openPage()
  await expect.poll(() => page.states).toContain('open')
  for (const _ of upTo(10)) {
    page.client.suspendStreams()
    page.client.resumeStreams()
  }
  await record('a')
  await expect.poll(() => page.seen).toEqual([1])
  await expect.poll(connections).toBe(1)
})

test('a page whose server restarts reconnects automatically', async () => {
  const page = openPage()
  await expect.poll(() => page.states).toContain('open')
  server.socketServer.close()
  await record('a')
  await expect.poll(() => page.seen).toEqual([1])
  expect(page.states).toEqual(['connecting', 'open', 'waiting', 'connecting', 'open'])
})

test('O12: the sign-out ends the streams with its reason', async () => {
  const page = openPage()
  await expect.poll(() => page.userStates).toContain('open')
  await server.call('POST', '/api/v1/auth/sign-out', { person: owner })
  const refused = { status: 'rejected', reason: { code: 'auth.required', kind: 'unauthenticated' } }
  expect(await page.ended).toMatchObject([refused, refused])
  expect(await openPage().ended).toMatchObject([refused, refused])
}, 20_000)

test('O12: the sign-out ends streams that are read as server-sent events, with its reason', async () => {
  line.refusesSockets = true
  const page = openPage()
  await expect.poll(() => [page.states.at(-1), page.userStates.at(-1)]).toEqual(['open', 'open'])
  await server.call('POST', '/api/v1/auth/sign-out', { person: owner })
  const refused = { status: 'rejected', reason: { code: 'auth.required', kind: 'unauthenticated' } }
  expect(await page.ended).toMatchObject([refused, refused])
}, 20_000)

test('a thread that does not exist ends its stream, and the user stream of the page continues', async () => {
  const { id } = await server.areas.threads.threads.create(owner.userId, {})
  threadId = 't0'
  const page = openPage()
  await expect.poll(() => page.userStates).toContain('open')
  const missing = page.client.streamThread('t0', { after: 0, signal: stop.signal, onEvent: () => {} })
  await expect(missing).rejects.toMatchObject({ code: 'thread.not-found' })
  const seen: string[] = []
  void page.client.streamUser({ signal: stop.signal, onEvent: ({ type }) => seen.push(type) })
  await expect.poll(() => line.handshakes).toBe(1)
  await expect
    .poll(async () => {
      await server.areas.threads.threads.update(owner.userId, id, { title: `Title ${seen.length}` })
      return seen
    })
    .toContain('thread-updated')
})

test('without WebSockets, streams are read as server-sent events', async () => {
  line.refusesSockets = true
  const page = openPage()
  await record('a')
  await expect.poll(() => page.seen).toEqual([1])
  await expect.poll(() => page.userStates.at(-1)).toBe('open')
  line.cutAll()
  await record('b')
  await expect.poll(() => page.seen).toEqual([1, 2])
  expect(line.handshakes).toBe(3)
})
