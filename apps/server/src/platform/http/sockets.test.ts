import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type ServerType, serve } from '@hono/node-server'
import type { Entry } from '@threadbox/protocol/public'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'
import { tablesIn } from '../../tables.test-utils.ts'

let server: TestApplication
let owner: TestPerson
let threadId: string
let listener: ServerType
let port: number
let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'threadbox-sockets-'))
  server = await makeTestApplication({ databaseFile: join(directory, 'server.db') })
  owner = await server.signUpOwner()
  threadId = (await server.areas.threads.threads.create(owner.userId, {})).id
  listener = serve({ fetch: server.app.fetch, hostname: '127.0.0.1', port: 0 })
  await once(listener, 'listening')
  port = (listener.address() as AddressInfo).port
})
afterEach(async () => {
  if ('closeAllConnections' in listener) listener.closeAllConnections()
  listener.close()
  await server[Symbol.asyncDispose]()
  await rm(directory, { recursive: true })
})

const entry = (id: string, text: string): Entry => ({
  id,
  turnId: 'n1',
  at: 1,
  kind: 'text',
  stepId: 'p1',
  text,
  status: 'done',
})
const open = (path: string, headers: Record<string, string> = {}) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    const request = httpRequest({ port, host: '127.0.0.1', path, headers: { ...owner.headers, ...headers } }, resolve)
    request.on('error', reject)
    request.end()
  })
const upload = (name: string, headers: Record<string, string> = {}) =>
  httpRequest({
    port,
    host: '127.0.0.1',
    method: 'PUT',
    path: `/api/v1/threads/${threadId}/uploads?name=${name}`,
    headers: { ...owner.headers, origin: `http://127.0.0.1:${port}`, ...headers },
  })
const keptBlobs = () => readdir(join(server.directory, 'blobs/attachments', threadId)).catch(() => [])

/** Memory in use after a full collection. */
function heldMegabytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  const { heapUsed, external } = process.memoryUsage()
  return (heapUsed + external) / 1024 / 1024
}

test('an event stream starts immediately, replays after the last id and then continues live', async () => {
  await server.areas.threads.log.append(
    threadId,
    ['e1', 'e2'].map((id) => ({ type: 'entry-added', entry: entry(id, id) })),
  )
  const response = await open(`/api/v1/threads/${threadId}/events?after=0`, { 'last-event-id': '1' })
  expect(response.headers['content-type']).toBe('text/event-stream; charset=utf-8')
  let text = ''
  response.on('data', (data: Buffer) => {
    text += String(data)
  })
  await vi.waitFor(() => expect(text).toContain('"id":"e2"'))
  expect(text).toMatch(/^: keep-alive\n\nid: 2\ndata: /)
  await server.areas.threads.log.append(threadId, [{ type: 'entry-added', entry: entry('e3', 'live') }])
  await vi.waitFor(() => expect(text).toContain('id: 3\ndata: {"type":"entry-added"'))
  expect(text).not.toContain('"id":"e1"')
  response.destroy()
})

test('O12: event streams end within 5 s of the sign-out, and of the end of an API key', async () => {
  const created = await server.call('POST', '/api/v1/api-keys', { body: { name: 'key' }, person: owner })
  const key = (await created.json()) as { id: string; secret: string }
  const byKey = await open('/api/v1/events', { cookie: '', authorization: `Bearer ${key.secret}` })
  const bySession = await Promise.all([open('/api/v1/events'), open(`/api/v1/threads/${threadId}/events`)])
  for (const response of [byKey, ...bySession]) response.resume()
  await server.call('DELETE', `/api/v1/api-keys/${key.id}`, { person: owner })
  await expect.poll(() => byKey.complete, { timeout: 5000 }).toBe(true)
  expect(bySession.map(({ complete }) => complete)).toEqual([false, false])
  await server.call('POST', '/api/v1/auth/sign-out', { person: owner })
  await expect.poll(() => bySession.map(({ complete }) => complete), { timeout: 5000 }).toEqual([true, true])
}, 20_000)

test('a reader that stops reading does not fill the server’s memory, and loses nothing', async () => {
  const response = await open(`/api/v1/threads/${threadId}/events`)
  response.pause()
  const text = 'x'.repeat(64 * 1024)
  const record = (index: number) =>
    server.areas.threads.log.append(threadId, [
      { type: 'entry-updated', entry: { ...entry('e1', `${index} ${text}`), kind: 'reasoning' } as Entry },
    ])
  for (let index = 0; index < 200; index += 1) await record(index)
  const before = heldMegabytes()
  for (let index = 200; index < 1000; index += 1) await record(index)
  // 50 MB were recorded since then, on disk; a reader can hold a few megabytes.
  expect(heldMegabytes() - before).toBeLessThan(20)
  const seen: number[] = []
  let rest = ''
  response.on('data', (data: Buffer) => {
    const lines = (rest + String(data)).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.startsWith('id: ')) seen.push(Number(line.slice(4)))
  })
  response.resume()
  await vi.waitFor(() => expect(seen.length).toBe(1000), { timeout: 30_000 })
  expect(seen).toEqual(seen.map((_, index) => index + 1))
}, 90_000)

test('O2: an upload of 256 MB is streamed to disk and downloaded as the same bytes', async () => {
  const chunk = Buffer.alloc(1024 * 1024, 'threadbox ')
  const sent = createHash('sha256')
  const before = process.memoryUsage().rss
  const request = upload('big.bin', { 'content-type': 'application/octet-stream' })
  const answered = once(request, 'response') as Promise<[IncomingMessage]>
  let highest = before
  for (let index = 0; index < 256; index += 1) {
    chunk.writeUInt32BE(index)
    const part = Buffer.from(chunk)
    sent.update(part)
    if (!request.write(part)) await once(request, 'drain')
    highest = Math.max(highest, process.memoryUsage().rss)
  }
  request.end()
  const [response] = await answered
  const attachment = JSON.parse((await response.toArray()).join('')) as { id: string; sizeBytes: number }
  expect(attachment.sizeBytes).toBe(256 * 1024 * 1024)
  const back = await open(`/api/v1/threads/${threadId}/attachments/${attachment.id}`)
  const received = createHash('sha256')
  for await (const part of back) {
    received.update(part as Buffer)
    highest = Math.max(highest, process.memoryUsage().rss)
  }
  expect(received.digest('hex')).toBe(sent.digest('hex'))
  expect((highest - before) / 1024 / 1024).toBeLessThan(160)
}, 60_000)

test('an upload that breaks off leaves nothing behind and is no attachment', async () => {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(
    `PUT /api/v1/threads/${threadId}/uploads?name=half.bin HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n` +
      `Origin: http://127.0.0.1:${port}\r\nCookie: ${owner.headers.cookie}\r\nContent-Length: 1000000\r\n\r\n`,
  )
  socket.write(Buffer.alloc(200_000))
  await vi.waitFor(async () => expect(await keptBlobs()).toHaveLength(1))
  socket.destroy()
  await vi.waitFor(async () => expect(await keptBlobs()).toEqual([]))
  expect(await tablesIn(server.open).selectFrom('attachments').selectAll().execute()).toEqual([])
})

test.each([
  ['..%2F..%2Fetc%2Fpasswd', 'passwd'],
  ['C%3A%5CUsers%5Cme%5Cdata.csv', 'data.csv'],
  ['.bashrc', 'bashrc'],
  ['%E2%80%AEfdp.exe', 'fdp.exe'],
  [`${'%C3%A4'.repeat(300)}.tar.gz`, `${'ä'.repeat(116)}.tar.gz`],
  ['..', 'file'],
])('an upload named %s is stored in the upload folder under a plain name', async (name, expected) => {
  const request = upload(name)
  request.end('content')
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const attachment = JSON.parse((await response.toArray()).join('')) as { name: string; path: string }
  expect(attachment.name).toBe(expected)
  expect(attachment.path).toBe(`/home/user/uploads/${expected}`)
})

test('users’ content is served so that it cannot act as the app', async () => {
  const request = upload('page.html', { 'content-type': 'text/html' })
  request.end('<script>fetch("/api/v1/me")</script>')
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const { id } = JSON.parse((await response.toArray()).join('')) as { id: string }
  const shown = await open(`/api/v1/threads/${threadId}/attachments/${id}`)
  expect(shown.headers['content-security-policy']).toMatch(/default-src 'none'.*sandbox allow-scripts$/)
  expect(shown.headers['x-content-type-options']).toBe('nosniff')
  const saved = await open(`/api/v1/threads/${threadId}/attachments/${id}?download=true`)
  expect(saved.headers['content-disposition']).toBe(`attachment; filename="page.html"; filename*=UTF-8''page.html`)
  shown.resume()
  saved.resume()
})
