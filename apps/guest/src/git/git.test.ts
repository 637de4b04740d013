import { readFile } from 'node:fs/promises'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { type Client, createClient } from '@connectrpc/connect'
import { createConnectTransport } from '@connectrpc/connect-node'
import { git, gitAnswerHeader, guestPaths } from '@threadbox/protocol/guest'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestGuest, type TestGuest, testToken } from '../guest.test-utils.ts'
import { gitConfigOf } from './git-config.ts'

let guest: TestGuest
let client: Client<typeof git.Git>
let left: AbortController
beforeAll(async () => {
  guest = await startTestGuest()
  await guest.handshake()
  const transport = createConnectTransport({
    httpVersion: '1.1',
    baseUrl: guest.url,
    interceptors: [
      (next) => (request) => {
        request.header.set('x-access-token', testToken)
        return next(request)
      },
    ],
  })
  client = createClient(git.Git, transport)
})
afterAll(() => guest[Symbol.asyncDispose]())
beforeEach(() => {
  left = new AbortController()
})
afterEach(() => left.abort())

const site = { name: 'git.test', address: 'https://git.test/' }
/** Opens a stream of requests; resolves when the guest has reported that it is ready. */
async function follow(sites = [site], signal = left.signal) {
  const requests: git.GitRequest[] = []
  const ready = Promise.withResolvers<void>()
  const read = async () => {
    for await (const { event } of client.followGit({ sites }, { signal })) {
      if (event.case === 'ready') ready.resolve()
      if (event.case === 'request') requests.push(event.value)
    }
  }
  const ended = read().then(
    () => 'ended' as const,
    () => 'broken off' as const,
  )
  await ready.promise
  const first = async () => {
    await expect.poll(() => requests.length).toBeGreaterThan(0)
    return requests.shift() as git.GitRequest
  }
  return { requests, ended, first }
}
const configured = () => readFile(join(guest.directory, 'scratch/git/config'), 'utf8')
const origin = async () => /http:\/\/127\.0\.0\.1:\d+/.exec(await configured())?.[0] ?? ''
/** Asks as programs do: `fetch` marks its requests as coming from a page. */
const ask = async (path: string, init: RequestInit = {}): Promise<Response> => {
  const { method = 'GET', headers = {}, signal, body } = init
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const request = httpRequest(`${await origin()}/git.test/${path}`, {
    method,
    headers: headers as Record<string, string>,
    agent: false,
    ...(signal === undefined || signal === null ? {} : { signal }),
  })
  request.once('response', resolve).once('error', reject)
  if (body instanceof ReadableStream) Readable.fromWeb(body as never).pipe(request)
  else request.end(body)
  const answer = await promise
  return new Response(Readable.toWeb(answer) as ReadableStream, {
    status: answer.statusCode ?? 0,
    headers: answer.headers as Record<string, string>,
  })
}
const inside = (path: string, init: RequestInit & { answer?: object } = {}) =>
  fetch(`${guest.url}${path}`, {
    ...init,
    headers: {
      'x-access-token': testToken,
      ...(init.answer === undefined ? {} : { [gitAnswerHeader]: JSON.stringify(init.answer) }),
    },
    duplex: 'half',
  } as RequestInit)
const fine = { status: 200, headers: { 'content-type': 'application/x-git-upload-pack-result' } }

test('without a follower, git gets a clear message and can try again', async () => {
  const { ended } = await follow()
  left.abort()
  await ended
  await expect.poll(async () => (await ask('a')).status).toBe(503)
  const refused = await ask('a')
  expect(refused.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(await refused.text()).toContain("threadbox isn't connected")
})

test.each([
  { origin: 'http://127.0.0.1:8000' },
  { origin: 'null' },
  { 'sec-fetch-mode': 'no-cors' },
  { 'sec-fetch-site': 'same-origin' },
  { host: 'page.example' },
  { host: 'localhost' },
])('a request that a page in a browser could have sent is not announced: %j', async (headers) => {
  const { requests, first } = await follow()
  const refused = await ask('a/git-receive-pack', { method: 'POST', headers, body: '0000' })
  expect(refused.status).toBe(403)
  expect(await refused.text()).toContain('host' in headers ? 'not under another name' : 'Requests from web pages')
  const asked = ask('b')
  const { id, target } = await first()
  expect([target, requests.length]).toEqual(['/git.test/b', 0])
  await inside(guestPaths.gitAnswer(id), { method: 'POST', answer: fine, body: '' })
  await asked
})

test('a request whose follower disconnects before the response began is refused', async () => {
  const { first } = await follow()
  const asked = ask('a')
  await first()
  left.abort()
  expect((await asked).status).toBe(503)
})

test('a response that breaks off breaks git off', async () => {
  const { first } = await follow()
  const asked = ask('a')
  const { id } = await first()
  const broken = new AbortController()
  const half = new ReadableStream({
    start: (controller) => controller.enqueue(Buffer.from('half')),
  })
  const sent = inside(guestPaths.gitAnswer(id), { method: 'POST', answer: fine, body: half, signal: broken.signal })
  const isBroken = sent.then(
    () => false,
    () => true,
  )
  const reader = (await asked).body?.getReader()
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('half')
  broken.abort()
  await expect(reader?.read()).rejects.toThrow()
  expect(await isBroken).toBe(true)
})

test('a request is answered once, by a follower that has the token, and ends when git disconnects', async () => {
  const { first } = await follow()
  const gone = new AbortController()
  const asked = ask('a', { signal: gone.signal }).catch(() => 'gone')
  const { id } = await first()
  expect((await fetch(`${guest.url}${guestPaths.gitBody(id)}`)).status).toBe(401)
  expect((await inside(guestPaths.gitAnswer(id), { method: 'POST' })).status).toBe(400)
  gone.abort()
  expect(await asked).toBe('gone')
  await expect
    .poll(async () => (await inside(guestPaths.gitAnswer(id), { method: 'POST', answer: fine })).status)
    .toBe(404)
})

test('git’s request body and the response are streamed unchanged', async () => {
  const { first } = await follow()
  const gives = new TransformStream<Uint8Array, Uint8Array>()
  const writer = gives.writable.getWriter()
  const asked = ask('team/app/git-receive-pack', {
    method: 'POST',
    body: gives.readable,
    duplex: 'half',
    headers: { 'content-type': 'application/x-git-receive-pack-request', authorization: 'Basic x', cookie: 'a=b' },
  } as RequestInit)
  // A client sends the head of its request with the first piece of the body.
  const written = writer.write(Buffer.from('one '))
  const announced = await first()
  await written
  expect(announced).toMatchObject({ method: 'POST', target: '/git.test/team/app/git-receive-pack' })
  expect(Object.keys(announced.headers)).not.toContain('authorization')
  expect(Object.keys(announced.headers)).not.toContain('cookie')
  const body = Readable.fromWeb((await inside(guestPaths.gitBody(announced.id))).body as never)
  const [piece] = (await body.take(1).toArray()) as Buffer[]
  expect(String(piece)).toBe('one ')
  const answered = inside(guestPaths.gitAnswer(announced.id), { method: 'POST', answer: fine, body: 'answer' })
  const response = await asked
  expect(response.headers.get('content-type')).toBe('application/x-git-upload-pack-result')
  expect(await response.text()).toBe('answer')
  expect((await answered).status).toBe(200)
  writer.close().catch(() => undefined)
})

test('a newer follower replaces an older one, and requests in progress continue', async () => {
  const older = await follow()
  const asked = ask('a')
  const { id } = await older.first()
  const newer = await follow([site, { name: 'other', address: 'https://other.test/' }])
  expect(await older.ended).toBe('ended')
  await inside(guestPaths.gitAnswer(id), { method: 'POST', answer: fine, body: 'answer' })
  expect(await (await asked).text()).toBe('answer')
  void ask('b').catch(() => undefined)
  expect((await newer.first()).target).toBe('/git.test/b')
})

test('programs that are started read the current sites; without any, nothing changes for git', async () => {
  await follow()
  const asked = async () => (await guest.run('git config --get-regexp insteadof || true')).text.trim()
  expect(await asked()).toBe(`url.${await origin()}/git.test/.insteadof https://git.test/`)
  expect((await guest.run('GIT_CONFIG_COUNT=0 git config --get-regexp insteadof || echo none')).text.trim()).toBe(
    'none',
  )
  expect(await (await follow([])).ended).toBe('ended')
  expect(await asked()).toBe('')
})

test('a site’s content cannot become another line of the configuration', () => {
  const hostile = [{ name: 'a"]\n[core]\n\teditor = x', address: 'https://b/"\\' }]
  expect(
    gitConfigOf(hostile, 1)
      .split('\n')
      .filter((line) => line.includes('insteadOf')),
  ).toEqual(['\tinsteadOf = "https://b/\\"\\\\"'])
})
