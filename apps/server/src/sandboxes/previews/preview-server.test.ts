import { once } from 'node:events'
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Preview } from '@threadbox/protocol/public'
import { type HostStandIn, startHostStandIn } from '@threadbox/testkit/host-stand-in'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'
import { makeFrontServer } from '../../front-server.ts'
import { tablesIn } from '../../tables.test-utils.ts'

let host: HostStandIn
let server: TestApplication
let listener: Server
let owner: TestPerson
let threadId: string
let appHost: string
beforeEach(async () => {
  host = await startHostStandIn()
  server = await makeTestApplication({ hostSocket: host.socketPath, undoMs: 0 })
  owner = await server.signUpOwner()
  threadId = (await server.areas.threads.threads.create(owner.userId, {})).id
  listener = makeFrontServer({ app: server.app, previews: server.previewServer, sockets: server.socketServer })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  appHost = `app.test00.localhost:${port()}`
  await server.areas.sandboxes.sandboxes.awake(threadId, { reason: 'api' })
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
  listener.closeAllConnections()
  listener.close()
  await host[Symbol.asyncDispose]()
})

const port = () => (listener.address() as AddressInfo).port

type Answer = { status: number; headers: IncomingHttpHeaders; body: string }
async function ask(
  url: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  const { pathname, search, host: name } = new URL(url)
  const request = httpRequest({
    host: '127.0.0.1',
    port: port(),
    path: pathname + search,
    method: options.method ?? 'GET',
    agent: false,
    headers: { host: name, ...options.headers },
  })
  request.end(options.body)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) }
}

/** Opens a preview as the app does, at a name of the app. */
async function open(
  options: { port?: number; path?: string; at?: string; person?: TestPerson } = {},
): Promise<Preview> {
  const { port: servicePort = 8000, path = '/start?a=1#b', at = appHost, person = owner } = options
  const answer = await ask(`http://${at}/api/v1/threads/${threadId}/previews`, {
    method: 'POST',
    headers: { ...person.headers, origin: `http://${at}`, 'content-type': 'application/json' },
    body: JSON.stringify({ port: servicePort, path }),
  })
  expect(answer.status, answer.body).toBe(200)
  return JSON.parse(answer.body) as Preview
}

/** Opens a preview and exchanges its ticket, as a browser does. */
async function visit(options: Parameters<typeof open>[0] = {}) {
  const preview = await open(options)
  const entered = await ask(preview.url ?? '')
  const cookie = entered.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
  return { preview, origin: preview.origin ?? '', entered, cookie }
}

const frame = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'same-site' }
const echo: HostStandIn['service'] = (request, response) => {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers }))
}
const stateOf = ({ headers }: Answer) => headers['threadbox-preview']

test('O4 O12: a preview’s URL opens the page once, with a cookie that is the page’s own', async () => {
  host.service = echo
  const { preview, origin, entered, cookie } = await visit()
  expect(origin).toMatch(new RegExp(`^http://8000-[a-z2-7]{10}\\.test00\\.localhost:${port()}$`))
  expect(entered).toMatchObject({ status: 303, headers: { location: `${origin}/start?a=1#b` } })
  expect(entered.headers['set-cookie']?.[0]).toMatch(
    /^threadbox-preview-test00=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/,
  )
  const page = await ask(`${origin}/start?a=1`, { headers: { cookie: `${cookie}; own=1`, ...frame } })
  expect(page.status).toBe(200)
  const seen = JSON.parse(page.body) as { url: string; headers: Record<string, string> }
  expect(seen.url).toMatch(/\/port\/8000\/start\?a=1$/)
  expect(seen.headers).toMatchObject({ cookie: 'own=1', host: new URL(origin).host, 'x-forwarded-proto': 'http' })
  expect(seen.headers['threadbox-background']).toBeUndefined()
  expect(page.headers['content-security-policy']).toContain(`frame-ancestors 'self' http://${appHost}; sandbox `)

  const polled = await ask(`${origin}/`, { headers: { cookie, 'sec-fetch-mode': 'cors' } })
  expect(JSON.parse(polled.body)).toMatchObject({ headers: { 'threadbox-background': '1' } })

  const again = await ask(preview.url ?? '', { headers: frame })
  expect([again.status, stateOf(again), again.headers['set-cookie']]).toEqual([401, 'private', undefined])
})

test('O12: the same thread keeps its name, another one has another, and a name is never assigned again', async () => {
  const first = await open()
  expect((await open()).origin).toBe(first.origin)
  await server.start()
  const labels = () => tablesIn(server.open).selectFrom('preview_labels').selectAll().execute()
  const [row] = await labels()
  await server.areas.threads.threads.delete(owner.userId, threadId)
  await vi.waitFor(async () => expect((await labels())[0]?.thread_id).toBeNull(), { timeout: 10_000, interval: 50 })
  expect((await labels())[0]?.label).toBe(row?.label)
}, 20_000)

describe('O12: a page is private', () => {
  const refused = async (url: string, headers: Record<string, string> = {}) => {
    const page = await ask(url, { headers: { ...frame, ...headers } })
    // Each response has its own nonce in its policy.
    return { ...page, body: page.body.replace(/nonce="[^"]+"/g, ''), headers: undefined }
  }

  test('without a pass, with one of another port, or under a name that does not exist: all get the same response', async () => {
    host.service = echo
    const { origin, cookie } = await visit()
    const other = await visit({ port: 9000 })
    const name = new URL(origin).host
    const nothing = await refused(`http://1-aaaaaaaaaa.test00.localhost:${port()}/`)
    expect(nothing).toMatchObject({ status: 401, body: expect.stringContaining('preview.private') })
    for (const [url, headers] of [
      [`${origin}/`, {}],
      [`${origin}/`, { cookie: other.cookie }],
      [`${origin}/`, owner.headers],
      [`${other.origin}/`, { cookie }],
      [`http://${name.replace(/^8000/, '8001')}/`, { cookie }],
      [`http://${name.replace(/-[a-z2-7]{10}/, '-bbbbbbbbbb')}/`, { cookie }],
      [`http://anything.test00.localhost:${port()}/`, { cookie }],
      [`http://x.${name}/`, { cookie }],
      [`${origin}/.threadbox/enter?token=guess`, {}],
      [`${origin}/.threadbox/other`, { cookie }],
    ] as [string, Record<string, string>][]) {
      expect(await refused(url, headers), url).toEqual(nothing)
    }
  })

  test('with a ticket of another address, an expired one, or by HEAD', async () => {
    host.service = echo
    const one = await open()
    const two = await open({ port: 9000 })
    const token = new URL(one.url ?? '').search
    expect((await ask(`${two.origin}/.threadbox/enter${token}`)).status).toBe(401)
    expect((await ask(one.url ?? '')).status).toBe(401)
    expect((await ask(two.url ?? '', { method: 'HEAD' })).status).toBe(401)
    expect((await ask(two.url ?? '')).status).toBe(303)
    const late = await open()
    server.clock.now += 61_000
    expect((await ask(late.url ?? '')).status).toBe(401)
  })

  test('when several clients use a ticket at the same time: one of them gets in', async () => {
    const { url } = await open()
    const answers = await Promise.all([1, 2, 3, 4].map(() => ask(url ?? '')))
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 401, 401, 401])
  })

  test.each<[string, () => Promise<unknown>]>([
    ['sign out', () => server.call('POST', '/api/v1/auth/sign-out', { person: owner })],
    [
      'change the password',
      () =>
        server.call('POST', '/api/v1/auth/password', {
          person: owner,
          body: { currentPassword: 'correct horse battery', newPassword: 'another long password' },
        }),
    ],
    ['delete the thread', () => server.areas.threads.threads.delete(owner.userId, threadId)],
  ])(
    'after they %s: open responses are cut, and new requests are rejected',
    async (_title, end) => {
      host.service = (_, response) => void response.write('data: 1\n\n')
      const { origin, cookie } = await visit()
      const stream = httpRequest({
        host: '127.0.0.1',
        port: port(),
        path: '/',
        headers: { host: new URL(origin).host, cookie },
      })
      stream.on('error', () => undefined)
      stream.end()
      const [response] = (await once(stream, 'response')) as [IncomingMessage]
      const cut = once(response.resume(), 'close')
      const before = Date.now()
      await end()
      await cut.catch(() => undefined)
      expect(Date.now() - before).toBeLessThan(5000)
      server.clock.now += 1500
      expect((await ask(`${origin}/`, { headers: { cookie } })).status).toBe(401)
    },
    10_000,
  )

  test('for an API key from its deletion on', async () => {
    host.service = echo
    const created = await server.call('POST', '/api/v1/api-keys', { person: owner, body: { name: 'key' } })
    const { id, secret } = (await created.json()) as { id: string; secret: string }
    const person = { userId: owner.userId, headers: { authorization: `Bearer ${secret}` } }
    const { origin, cookie } = await visit({ person, at: `127.0.0.1:${port()}` })
    expect((await ask(`${origin}/`, { headers: { cookie } })).status).toBe(200)
    await server.call('DELETE', `/api/v1/api-keys/${id}`, { person: owner })
    server.clock.now += 1500
    expect((await ask(`${origin}/`, { headers: { cookie } })).status).toBe(401)
  })
})

test('O12: no API under a preview’s name, and no preview under the app’s', async () => {
  host.service = echo
  const { origin, cookie } = await visit()
  const api = await ask(`${origin}/api/v1/me`, { headers: { cookie, ...owner.headers } })
  expect(api.status).toBe(401)
  const both = `${cookie}; ${owner.headers.cookie}`
  const service = await ask(`${origin}/api/v1/me`, { headers: { cookie: both } })
  expect(JSON.parse(service.body)).toMatchObject({ url: expect.stringMatching(/port\/8000\/api\/v1\/me$/) })
  expect(service.body).not.toContain('threadbox-test00')
  const token = new URL((await open()).url ?? '').search
  expect((await ask(`http://${appHost}/.threadbox/enter${token}`)).headers['set-cookie']).toBeUndefined()
  expect((await ask(`http://${new URL(origin).hostname}.evil.com:${port()}/`, { headers: { cookie } })).status).toBe(
    403,
  )
})

describe('O12: an ambiguous request is rejected', () => {
  const raw = async (lines: string[]) => {
    const socket = connect(port(), '127.0.0.1')
    socket.write(`${lines.join('\r\n')}\r\n\r\n`)
    return Number((await text(socket)).split(' ')[1])
  }
  test.each<[string, (name: string) => string[]]>([
    ['two hosts', (name) => ['GET / HTTP/1.1', `Host: ${name}`, `Host: ${appHost}`]],
    ['another name in its address', (name) => [`GET http://${appHost}/api/v1/me HTTP/1.1`, `Host: ${name}`]],
    ['two lengths', (name) => ['POST / HTTP/1.1', `Host: ${name}`, 'Content-Length: 3', 'Transfer-Encoding: chunked']],
    ['different lengths', (name) => ['POST / HTTP/1.1', `Host: ${name}`, 'Content-Length: 3', 'Content-Length: 4']],
    ['an unknown frame', (name) => ['POST / HTTP/1.1', `Host: ${name}`, 'Transfer-Encoding: gzip, chunked']],
    ['a hidden frame', (name) => ['POST / HTTP/1.1', `Host: ${name}`, 'Transfer-Encoding: x', 'Content-Length: 3']],
  ])('%s', async (_title, lines) => {
    let asked = 0
    host.service = (_, response) => {
      asked += 1
      response.end()
    }
    const { origin, cookie } = await visit()
    expect(await raw([...lines(new URL(origin).host), `Cookie: ${cookie}`, 'Connection: close'])).toBe(400)
    expect(asked).toBe(0)
  })

  test('while a path goes to the service unchanged, whatever it contains', async () => {
    host.service = echo
    const { origin, cookie } = await visit()
    const socket = connect(port(), '127.0.0.1')
    const head = `Host: ${new URL(origin).host}\r\nCookie: ${cookie}\r\nConnection: close`
    socket.write(`GET //a/../%2e%2e/x?y=/../z HTTP/1.1\r\n${head}\r\n\r\n`)
    expect(await text(socket)).toContain('/port/8000//a/../%2e%2e/x?y=/../z')
  })
})

describe('O3: a sleeping sandbox', () => {
  const pause = () => server.call('POST', `/api/v1/threads/${threadId}/sandbox/pause`, { person: owner })
  const wakes = () => host.orders.filter(({ order }) => order === 'wake').length

  test('is woken by a visit, which then shows the page', async () => {
    host.service = echo
    const { origin, cookie } = await visit()
    await pause()
    const page = await ask(`${origin}/`, { headers: { cookie, ...frame } })
    expect([page.status, wakes()]).toEqual([200, 1])
  })

  test('is not woken by a page’s background requests, which get an error and a time to retry', async () => {
    host.service = echo
    const { origin, cookie } = await visit()
    await pause()
    for (const headers of [
      { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty', 'sec-fetch-site': 'same-origin' },
      { ...frame, 'sec-fetch-site': 'same-origin' },
    ]) {
      const answer = await ask(`${origin}/`, { headers: { cookie, ...headers } as Record<string, string> })
      expect([answer.status, stateOf(answer), answer.headers['retry-after']]).toEqual([503, 'suspended', '30'])
      expect(answer.body).toContain('preview.suspended')
    }
    expect(wakes()).toBe(0)
  })

  test('and does not wake: the visitor and the waiting page get the reason', async () => {
    const { origin, cookie } = await visit()
    await pause()
    host.fail('wake', { code: 'host.busy', kind: 'unavailable' })
    const page = await ask(`${origin}/`, { headers: { cookie, ...frame } })
    expect([page.status, stateOf(page)]).toEqual([503, 'failed'])
    expect(page.body).toContain('host.busy')
    const waiting = await ask(`${origin}/`, { method: 'HEAD', headers: { cookie } })
    expect([waiting.status, stateOf(waiting), waiting.body]).toEqual([503, 'failed', ''])
  })
})

test('O4: a port without a listener is reported, as a page to a person and as JSON to a program', async () => {
  const { origin, cookie } = await visit()
  const page = await ask(`${origin}/`, { headers: { cookie, ...frame, 'accept-language': 'de-DE,de' } })
  expect([page.status, stateOf(page)]).toEqual([503, 'nothing-here'])
  expect(page.body).toContain('auf Port 8000')
  expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'/)
  const program = await ask(`${origin}/`, { headers: { cookie } })
  expect(JSON.parse(program.body)).toMatchObject({ error: { code: 'preview.nothing-here' } })
})

describe('O4: the app that was opened', () => {
  test.each([
    ['localhost', 'preview.other-name'],
    ['127.0.0.1', 'preview.other-name'],
  ])('at %s gets the address at which previews work in frames', async (name, code) => {
    const preview = await open({ at: `${name}:${port()}` })
    expect(preview).toMatchObject({ url: null, origin: null, appOrigin: `http://${appHost}`, unavailable: { code } })
    expect(preview.unavailable?.remedy).toContain(`http://${appHost}`)
  })
})

test('O4: a body of unknown length is streamed', async () => {
  host.service = (request, response) => void request.pipe(response)
  const { origin, cookie } = await visit()
  const request = httpRequest({
    host: '127.0.0.1',
    port: port(),
    method: 'PUT',
    path: '/',
    agent: false,
    headers: { host: new URL(origin).host, cookie, 'transfer-encoding': 'chunked' },
  })
  request.write('one ')
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  expect(String((await once(response, 'data'))[0])).toBe('one ')
  request.end('two')
  expect(await text(response)).toBe('two')
})

test('O4: the sandbox’s own ports are no previews', async () => {
  const answer = await server.call('POST', `/api/v1/threads/${threadId}/previews`, {
    person: owner,
    body: { port: 49_983 },
  })
  expect(await answer.json()).toMatchObject({ error: { code: 'preview.port-reserved' } })
})

test('O12: tickets and cookies are stored as digests only', async () => {
  const { preview, cookie } = await visit()
  const rows = JSON.stringify(await tablesIn(server.open).selectFrom('preview_passes').selectAll().execute())
  expect(rows).toContain('cookie')
  expect(rows).not.toContain(cookie.split('=')[1])
  expect(rows).not.toContain(new URL(preview.url ?? '').searchParams.get('token'))
})
