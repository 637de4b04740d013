import { once } from 'node:events'
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { PreviewCheck } from '@threadbox/protocol/public'
import { afterEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'
import { makeFrontServer } from '../../front-server.ts'
import type { LookUpName } from './preview-check.usecases.ts'

const cleanup: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of cleanup.splice(0).reverse()) await end()
})

const noHosts = { installation: 'test00', baseDomain: '', publicUrl: '', allowedHosts: '', listenHost: '127.0.0.1' }

type Stage = { server: TestApplication; listener: Server; owner: TestPerson; port: number }
async function start(options: { hosts?: Partial<typeof noHosts>; lookUpName?: LookUpName } = {}): Promise<Stage> {
  const { lookUpName = async () => undefined } = options
  const server = await makeTestApplication({ hosts: { ...noHosts, ...options.hosts }, lookUpName })
  cleanup.push(async () => await server[Symbol.asyncDispose]())
  const listener = makeFrontServer({ app: server.app, previews: server.previewServer, sockets: server.socketServer })
  cleanup.push(async () => {
    listener.closeAllConnections()
    listener.close()
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const owner = await server.signUpOwner()
  return { server, listener, owner, port: (listener.address() as AddressInfo).port }
}

async function ask({ port }: Stage, url: string, headers: Record<string, string> = {}) {
  const { pathname, search, host } = new URL(url)
  const request = httpRequest({
    host: '127.0.0.1',
    port,
    path: pathname + search,
    agent: false,
    headers: { host, ...headers },
  })
  request.end()
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const answered: IncomingHttpHeaders = response.headers
  return { status: response.statusCode, headers: answered, body: await text(response) }
}

/** Requests a check as a page of the app at this host does. */
async function prepare({ server, owner }: Stage, host: string): Promise<PreviewCheck> {
  const response = await server.call('GET', '/api/v1/previews/check', { person: owner, headers: { host } })
  expect(response.status).toBe(200)
  return (await response.json()) as PreviewCheck
}

test('O4: a check takes the steps of a preview: a cookie with a redirect, a page in a frame, a socket', async () => {
  const stage = await start()
  const host = `app.test00.localhost:${stage.port}`
  const { url, origin, unavailable } = await prepare(stage, host)
  expect([origin, unavailable]).toEqual([`http://1-doctor.test00.localhost:${stage.port}`, null])
  const begun = await ask(stage, url ?? '')
  const [cookie = ''] = begun.headers['set-cookie'] ?? []
  expect(cookie).toMatch(/^threadbox-check-test00=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=60$/)
  const { location = '' } = begun.headers
  const page = await ask(stage, location, { cookie: cookie.split(';')[0] ?? '' })
  expect(page.body).toContain('data-cookie="kept"')
  expect(page.headers['content-security-policy']).toMatch(new RegExp(`frame-ancestors http://${host}$`))
  for (const other of ['', 'threadbox-check-test00=of-an-earlier-check']) {
    expect((await ask(stage, location, { cookie: other })).body).toContain('data-cookie="none"')
  }
  const socket = new WebSocket(`ws://127.0.0.1:${stage.port}/.threadbox/check/socket`, {
    headers: { host: new URL(origin ?? '').host },
  })
  const [message] = (await once(socket, 'message')) as [Buffer]
  expect(String(message)).toBe('open')
  socket.close()
  await once(socket, 'close')
})

test('behind a proxy that ends TLS, only this name can have set the cookie', async () => {
  const hosts = { baseDomain: 'box.example', publicUrl: 'https://app.box.example' }
  const stage = await start({ hosts })
  const { url, origin } = await prepare(stage, 'app.box.example')
  expect(origin).toBe('https://1-doctor.box.example')
  const begun = await ask(stage, url ?? '')
  expect(begun.headers['set-cookie']?.[0]).toMatch(/^__Host-threadbox-check-test00=.*; Secure$/)
  expect(begun.headers.location).toMatch(/^https:\/\/1-doctor\.box\.example\//)
})

describe('the check does not respond to', () => {
  const id = 'id=12345678'
  test.each([
    ['a page of another site', `/.threadbox/check?${id}&app=http://evil.example`],
    ['a page of a preview', `/.threadbox/check?${id}&app=http://8000-aaaaaaaaaa.test00.localhost`],
    ['a page of the app at another port', `/.threadbox/check?${id}&app=http://app.test00.localhost:1`],
    [
      'an address that would change the policy',
      `/.threadbox/check?${id}&app=http://app.test00.localhost;script-src%20*`,
    ],
    ['an invalid ID', '/.threadbox/check?id=%22%3E&app=http://app.test00.localhost'],
    ['another path', `/.threadbox/check/other?${id}&app=http://app.test00.localhost`],
    ['the start page', '/'],
  ])('%s: it gets the response of a private preview', async (_title, path) => {
    const stage = await start()
    const { status, headers } = await ask(stage, `http://1-doctor.test00.localhost${path}`)
    expect([status, headers['threadbox-preview']]).toEqual([401, 'private'])
  })

  test('the name of a thread’s preview', async () => {
    const stage = await start()
    const query = `${id}&app=http://app.test00.localhost`
    const page = await ask(stage, `http://8000-aaaaaaaaaa.test00.localhost/.threadbox/check?${query}`)
    expect([page.status, page.headers['threadbox-preview']]).toEqual([401, 'private'])
  })
})

describe('O4: the most likely reason why a browser does not reach previews', () => {
  const codeOf = async (options: Parameters<typeof start>[0], host: string) => {
    const { unavailable, problems } = await prepare(await start(options), host)
    return unavailable?.code ?? problems.unreachable.code
  }
  const plain = { baseDomain: 'box.example' }
  const secure = { ...plain, publicUrl: 'https://app.box.example' }

  test.each([
    ['names under localhost', {}, 'app.test00.localhost:7717', 'preview.names-local'],
    ['the app under another name', {}, 'localhost:7717', 'preview.other-name'],
    [
      'names that do not resolve',
      { hosts: plain, lookUpName: async () => null },
      'app.box.example',
      'preview.names-missing',
    ],
    [
      'names that resolve',
      { hosts: plain, lookUpName: async () => '192.0.2.1' },
      'app.box.example',
      'preview.names-elsewhere',
    ],
    [
      'the same over TLS',
      { hosts: secure, lookUpName: async () => '192.0.2.1' },
      'app.box.example',
      'preview.names-untrusted',
    ],
    [
      'a resolver that fails',
      { hosts: plain, lookUpName: () => Promise.reject(new Error('no')) },
      'app.box.example',
      'preview.names-elsewhere',
    ],
  ])('%s', async (_title, options, host, code) => {
    expect(await codeOf(options, host)).toBe(code)
  })

  test('the app at an address of the network, while names are under localhost', async () => {
    expect(await codeOf({ hosts: { listenHost: '192.0.2.7' } }, '192.0.2.7:7717')).toBe('preview.no-name')
  })

  test('a resolver that never responds does not block the check', async () => {
    const lookUpName = () => new Promise<string>(() => undefined)
    expect(await codeOf({ hosts: plain, lookUpName }, 'app.box.example')).toBe('preview.names-elsewhere')
  })
})
