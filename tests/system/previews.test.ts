import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startInstallation, type TestInstallation, type TestThread } from '../stack/installation.ts'
import { frameVisit, pageRequest, signIn, type Visitor } from './previews/visitor.ts'

/** Pages of services through the whole stack: server, host daemon, gateway, guest, and a program in gVisor. */
const MiB = 1024 * 1024
let installation: TestInstallation
let thread: TestThread
let visitor: Visitor
let origin: string
beforeAll(async () => {
  installation = await startInstallation()
  thread = await installation.newThread()
  await serve('127.0.0.1', 8000)
  visitor = await signIn(installation.server)
  origin = await visit(visitor, 8000)
})
afterAll(() => installation[Symbol.asyncDispose]())

async function serve(address: string, port: number): Promise<void> {
  const program = await readFile(path.join(import.meta.dirname, 'previews/service.mjs'), 'utf8')
  await installation.client.files.write(thread.id, '/home/user/service.mjs', new Blob([program]))
  const log = `/tmp/service-${port}.log`
  const { calls } = await thread.say(
    `/run nohup node service.mjs ${address} ${port} >${log} 2>&1 & for _ in $(seq 100); do grep -q listening ${log} && break; sleep 0.1; done; cat ${log}`,
  )
  expect(calls[0]?.output.tail).toContain('listening')
}

/** Opens a port’s page and enters it, as the app’s frame does; returns its origin. */
async function visit(who: Visitor, port: number): Promise<string> {
  const preview = await who.open(thread.id, { port, path: '/home' })
  const entered = await who.enter(preview)
  expect([entered.status, entered.headers.location]).toEqual([303, `${preview.origin}/home`])
  return preview.origin
}

describe('O4: a page of a service that only listens on 127.0.0.1', () => {
  test('has its cookies, and its redirects lead to its own origin', async () => {
    const login = await visitor.ask(`${origin}/login`, { headers: frameVisit })
    expect([login.status, login.headers.location]).toEqual([302, `${origin}/home`])
    const home = await visitor.ask(`${origin}/home`, { headers: frameVisit })
    expect(JSON.parse(home.body)).toMatchObject({ cookie: 'who=ada', port: 8000 })
  })

  test('and one that listens on every address, next to it', async () => {
    await serve('0.0.0.0', 9000)
    const other = await visit(visitor, 9000)
    expect(other).toBe(origin.replace('8000-', '9000-'))
    expect(JSON.parse((await visitor.ask(`${other}/home`)).body)).toMatchObject({ cookie: '', port: 9000 })
  })

  test('has WebSockets, whose origin its service knows', async () => {
    const { answer, socket } = await visitor.upgrade(`${origin}/socket`)
    expect(answer.headers['x-seen']).toBe('localhost:8000 http://localhost:8000')
    const received: Buffer[] = []
    socket.on('data', (part: Buffer) => received.push(part))
    for (const message of ['one ', 'two ', 'three']) {
      socket.write(message)
      await expect.poll(() => Buffer.concat(received).toString()).toMatch(new RegExp(`${message}$`))
    }
    socket.destroy()
  })

  test('has streams that arrive as they are sent', async () => {
    const stream = await visitor.stream(`${origin}/events`)
    expect(stream.headers['content-type']).toBe('text/event-stream')
    let seen = ''
    for await (const part of stream) {
      seen += String(part)
      if (seen.includes('data: 3')) break
    }
    expect(seen).toMatch(/^data: 1\n\ndata: 2\n\ndata: 3/)
  })

  test('receives and sends 16 MB unchanged', async () => {
    const chunk = Buffer.alloc(MiB, 'threadbox ')
    const sent = createHash('sha256')
    const upload = await visitor.stream(`${origin}/up`, {
      method: 'PUT',
      send: async (request) => {
        for (let index = 0; index < 16; index += 1) {
          const part = Buffer.from(chunk)
          part.writeUInt32BE(index)
          sent.update(part)
          if (!request.write(part)) await once(request, 'drain')
        }
        request.end()
      },
    })
    expect((await upload.toArray()).join('')).toBe(sent.digest('hex'))
    const expected = createHash('sha256')
    for (let index = 0; index < 16; index += 1) expected.update(chunk)
    const received = createHash('sha256')
    for await (const part of await visitor.stream(`${origin}/down?megabytes=16`)) received.update(part as Buffer)
    expect(received.digest('hex')).toBe(expected.digest('hex'))
  })

  test('that no client reads stops sending instead of filling memory', async () => {
    const memoryOf = async (pid: number) => {
      const status = await readFile(`/proc/${pid}/status`, 'utf8')
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
    }
    const before = await memoryOf(installation.server.pid())
    const sent = async () => Number((await visitor.ask(`${origin}/sent`)).body)
    const sentBefore = await sent()
    const stream = await visitor.stream(`${origin}/flood`)
    stream.pause()
    let last = -1
    await expect
      .poll(
        async () => {
          const now = await sent()
          const isStill = now === last
          last = now
          return isStill
        },
        { interval: 500, timeout: 20_000 },
      )
      .toBe(true)
    // 4 GB wait in the service; the buffers of five connections are in transit.
    expect((last - sentBefore) / MiB).toBeLessThan(100)
    expect((await memoryOf(installation.server.pid())) - before).toBeLessThan(100)
    stream.destroy()
  })

  test('that does not respond is distinguished from one that does', async () => {
    const closed = await visit(visitor, 8123)
    const page = await visitor.ask(`${closed}/`, { headers: frameVisit })
    expect([page.status, page.headers['threadbox-preview']]).toEqual([503, 'nothing-here'])
    expect(page.body).toContain('port 8123')
  })
})

test('O3 O7: an open page neither wakes its sandbox nor keeps it awake; a visit wakes it, with nothing lost', async () => {
  const state = async () => (await installation.client.sandboxes.get(thread.id)).sandbox.state
  const count = (headers: Record<string, string>) => visitor.ask(`${origin}/count`, { headers })
  expect((await count(frameVisit)).body).toBe('1')
  const stream = await visitor.stream(`${origin}/events`)
  const broken = once(stream.resume(), 'close').catch(() => undefined)
  const { socket } = await visitor.upgrade(`${origin}/socket`)
  const socketBroken = once(socket.resume(), 'close')
  await installation.client.sandboxes.pause(thread.id)
  await Promise.all([broken, socketBroken])

  for (let round = 0; round < 3; round += 1) {
    const polled = await count(pageRequest)
    expect([polled.status, polled.headers['threadbox-preview'], polled.headers['retry-after']]).toEqual([
      503,
      'suspended',
      '30',
    ])
    await expect(visitor.upgrade(`${origin}/socket`)).rejects.toThrow('503')
  }
  expect(await state()).toBe('paused')
  expect((await count(frameVisit)).body).toBe('2')
  expect(await state()).toBe('active')
  expect((await count(pageRequest)).body).toBe('3')
})

describe('O12: a page is for the person who opened it', () => {
  test('not for clients without a pass, under this hostname or another', async () => {
    const stranger = await signIn(installation.server)
    const guessed = origin.replace(/-[a-z2-7]{10}/, '-aaaaaaaaaa')
    for (const url of [`${origin}/home`, `${guessed}/home`, `${origin.replace('8000', '8001')}/home`]) {
      expect((await stranger.ask(url, { headers: frameVisit })).status, url).toBe(401)
    }
    const preview = await visitor.open(thread.id, { port: 8000 })
    expect((await stranger.enter(preview)).status).toBe(303)
    expect((await visitor.enter(preview)).status).toBe(401)
  })

  test('and its service sees nothing of threadbox', async () => {
    const headers = { ...frameVisit, 'threadbox-boot': 'b', 'x-access-token': 'x' }
    const seen = JSON.parse((await visitor.ask(`${origin}/headers`, { headers })).body) as Record<string, string>
    expect(Object.entries(seen).filter(([name, value]) => /threadbox-|access-token/.test(`${name} ${value}`))).toEqual(
      [],
    )
    expect(seen).toMatchObject({ 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'http' })
  })

  test('also after the server was killed and restarted', async () => {
    await installation.server.kill('SIGKILL')
    await installation.server.restart()
    expect((await visitor.ask(`${origin}/home`)).status).toBe(200)
  })

  test('until they sign out: then open connections end within 5 s', async () => {
    const leaving = await signIn(installation.server)
    const page = await visit(leaving, 8000)
    const stream = await leaving.stream(`${page}/events`)
    const { socket } = await leaving.upgrade(`${page}/socket`)
    const cut = Promise.all([
      once(stream.resume(), 'close').catch(() => undefined),
      once(socket.resume(), 'close').catch(() => undefined),
    ])
    const startedAt = Date.now()
    await leaving.signOut()
    await cut
    expect(Date.now() - startedAt).toBeLessThan(5000)
    expect((await leaving.ask(`${page}/home`)).status).toBe(401)
    // Another session of the same person is not affected.
    expect((await visitor.ask(`${origin}/home`)).status).toBe(200)
  })
})
