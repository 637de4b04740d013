import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startInstallation, type TestInstallation, type TestThread } from '../stack/installation.ts'

/** Links with which people without an account see one service, through server, host daemon, gateway and gVisor. */
let installation: TestInstallation
let thread: TestThread
beforeAll(async () => {
  installation = await startInstallation()
  thread = await installation.newThread()
  const program = await readFile(path.join(import.meta.dirname, 'previews/service.mjs'), 'utf8')
  await installation.client.files.write(thread.id, '/home/user/service.mjs', new Blob([program]))
  for (const [name, port] of [
    ['shared', 8000],
    ['other', 8001],
  ] as const) {
    await installation.client.services.start(thread.id, { name, port, command: `node service.mjs 127.0.0.1 ${port}` })
  }
  await vi.waitFor(
    async () => {
      const { services } = await installation.client.services.list(thread.id)
      expect(services.map(({ status }) => status)).toEqual(['running', 'running'])
    },
    { timeout: 60_000, interval: 100 },
  )
})
afterAll(() => installation[Symbol.asyncDispose]())

const typed = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', 'sec-fetch-site': 'none' }

async function begin(url: string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  const { host, pathname, search } = new URL(url)
  const place = { host: '127.0.0.1', port: installation.server.port, path: pathname + search, agent: false as const }
  const request = httpRequest({ ...place, headers: { host, ...headers } }).end()
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  return answer
}
async function ask(url: string, headers: Record<string, string> = {}) {
  const answer = await begin(url, headers)
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: await text(answer) }
}
/** Creates a link and opens it as a person without an account does. */
async function comeByLink(options: { mayWake?: boolean } = {}) {
  const link = await installation.client.previews.share(thread.id, 'shared', { expiresInSeconds: 3600, ...options })
  const { headers } = await ask(link.url, typed)
  return { link, origin: new URL(link.url).origin, cookie: headers['set-cookie']?.[0]?.split(';')[0] ?? '' }
}

test('O12: a link shows its service to a person without an account, and nothing else', async () => {
  const { origin, cookie } = await comeByLink()
  expect(JSON.parse((await ask(`${origin}/home`, { ...typed, cookie })).body)).toMatchObject({ port: 8000 })
  const stream = await begin(`${origin}/events`, { cookie })
  expect(String((await once(stream, 'data'))[0])).toContain('data: 1')
  stream.destroy()
  expect((await ask(`${origin.replace('8000-', '8001-')}/home`, { ...typed, cookie })).status).toBe(401)
  expect((await ask(`${installation.server.origin}/api/v1/threads`, { cookie })).status).toBe(401)
})

test('O12: what a person without an account has open ends with the link', async () => {
  const { link, origin, cookie } = await comeByLink()
  const stream = await begin(`${origin}/events`, { cookie })
  const cut = new Promise((resolve) => stream.on('error', () => undefined).on('close', resolve))
  stream.resume()
  const endedAt = performance.now()
  await installation.client.previews.endShareLink(thread.id, link.id)
  await cut
  console.info(`cut ${Math.round(performance.now() - endedAt)} ms after the link was ended`)
  expect((await ask(link.url, typed)).status).toBe(401)
  await vi.waitFor(async () => expect((await ask(`${origin}/home`, { ...typed, cookie })).status).toBe(401), {
    timeout: 30_000,
    interval: 100,
  })
})

test('O3: a link wakes nothing, unless it was created to', async () => {
  const quiet = await comeByLink()
  const waking = await comeByLink({ mayWake: true })
  const state = async () => (await installation.client.threads.get(thread.id)).sandbox.state
  await installation.client.sandboxes.pause(thread.id)
  const asleep = await ask(`${quiet.origin}/home`, { ...typed, cookie: quiet.cookie })
  expect([asleep.status, asleep.headers['threadbox-preview']]).toEqual([503, 'asleep'])
  expect(asleep.body).toContain('This page is asleep')
  expect(await state()).toBe('paused')
  await vi.waitFor(
    async () => {
      const page = await ask(`${waking.origin}/home`, { ...typed, cookie: waking.cookie })
      expect([page.status, await state()]).toEqual([200, 'active'])
    },
    { timeout: 60_000, interval: 500 },
  )
  expect((await ask(`${quiet.origin}/home`, { ...typed, cookie: quiet.cookie })).status).toBe(200)
})
