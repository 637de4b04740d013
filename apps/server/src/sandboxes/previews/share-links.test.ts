import { once } from 'node:events'
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { CreatedShareLink, ShareLinks } from '@threadbox/protocol/public'
import { type HostStandIn, startHostStandIn } from '@threadbox/testkit/host-stand-in'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'
import { makeFrontServer } from '../../front-server.ts'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'
import { tablesIn } from '../../tables.test-utils.ts'

const hourSeconds = 3600
const typed = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', 'sec-fetch-site': 'none' }

onBothDatabases((target) => {
  let host: HostStandIn
  let server: TestApplication
  let listener: Server
  let owner: TestPerson
  let threadId: string
  beforeEach(async () => {
    host = await startHostStandIn()
    host.service = (request, response) => void response.end(`page ${request.headers['threadbox-background'] ?? ''}`)
    server = await makeTestApplication({ ...(await target()), hostSocket: host.socketPath, undoMs: 60_000 })
    owner = await server.signUpOwner()
    threadId = (await server.areas.threads.threads.create(owner.userId, {})).id
    await addService('web', 8000)
    listener = makeFrontServer({ app: server.app, previews: server.previewServer, sockets: server.socketServer })
    listener.listen(0, '127.0.0.1')
    await once(listener, 'listening')
    await server.areas.sandboxes.sandboxes.awake(threadId, { reason: 'api' })
  })
  afterEach(async () => {
    await server[Symbol.asyncDispose]()
    listener.closeAllConnections()
    listener.close()
    await host[Symbol.asyncDispose]()
  })

  async function addService(name: string, port: number): Promise<void> {
    await tablesIn(server.open)
      .insertInto('services')
      .values({
        thread_id: threadId,
        name,
        port,
        position: port,
        command: 'serve',
        cwd: '/',
        environment_json: '{}',
        ready_timeout_ms: 1000,
        key: name,
        boot_id: null,
        state: 'running',
        since: 1,
        problem_json: null,
      })
      .execute()
  }

  type Answer = { status: number; headers: IncomingHttpHeaders; body: string }
  async function begin(url: string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
    const { pathname, search, host: name } = new URL(url)
    const { port } = listener.address() as AddressInfo
    const place = { host: '127.0.0.1', port, path: pathname + search, agent: false as const }
    const request = httpRequest({ ...place, headers: { host: name, ...headers } }).end()
    const [answer] = (await once(request, 'response')) as [IncomingMessage]
    return answer
  }
  async function ask(url: string, headers: Record<string, string> = {}): Promise<Answer> {
    const answer = await begin(url, headers)
    return { status: answer.statusCode ?? 0, headers: answer.headers, body: await text(answer) }
  }
  async function share(
    more: { service?: string; expiresInSeconds?: number | null; mayWake?: boolean } = {},
  ): Promise<CreatedShareLink> {
    const { service = 'web', expiresInSeconds = hourSeconds, ...body } = more
    const path = `/api/v1/threads/${threadId}/services/${service}/share-links`
    const answer = await server.call('POST', path, { person: owner, body: { expiresInSeconds, ...body } })
    expect(answer.status).toBe(201)
    return (await answer.json()) as CreatedShareLink
  }
  /** Opens a link as a browser without a session does. */
  async function follow(url: string, headers: Record<string, string> = {}) {
    const entered = await ask(url, { ...typed, ...headers })
    return { entered, origin: new URL(url).origin, cookie: entered.headers['set-cookie']?.[0]?.split(';')[0] ?? '' }
  }
  const links = async () =>
    (await (
      await server.call('GET', `/api/v1/threads/${threadId}/share-links`, { person: owner })
    ).json()) as ShareLinks
  const endLink = (id: string) =>
    server.call('DELETE', `/api/v1/threads/${threadId}/share-links/${id}`, { person: owner })

  test('a link to a port of the sandbox itself is rejected, also for a service that was stored with one', async () => {
    await addService('inside', 49_987)
    const path = `/api/v1/threads/${threadId}/services/inside/share-links`
    const refused = await server.call('POST', path, { person: owner, body: { expiresInSeconds: hourSeconds } })
    expect(await refused.json()).toMatchObject({ error: { code: 'preview.port-reserved' } })
    expect((await links()).links).toEqual([])
  })

  test('O12: a link shows its service’s page to anyone, any number of times', async () => {
    const { url } = await share()
    for (let visitor = 0; visitor < 2; visitor += 1) {
      const { entered, origin, cookie } = await follow(url)
      expect([entered.status, entered.headers.location]).toEqual([303, `${origin}/`])
      expect(entered.headers['set-cookie']?.[0]).toMatch(
        /^threadbox-preview-test00=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/,
      )
      const page = await ask(`${origin}/`, { ...typed, cookie })
      expect([page.status, page.body]).toEqual([200, 'page 1'])
      expect(page.headers['content-security-policy']).toBe("frame-ancestors 'self'")
    }
  })

  test('O12: without a link there is none, and the list of links has no URL', async () => {
    expect(await links()).toEqual({ links: [], isLocalOnly: true })
    const { url, ...made } = await share({ expiresInSeconds: null })
    expect((await links()).links).toEqual([{ ...made, service: 'web', port: 8000, mayWake: false, expiresAt: null }])
    const kept = JSON.stringify(await tablesIn(server.open).selectFrom('preview_shares').selectAll().execute())
    expect(kept).not.toContain(new URL(url).searchParams.get('key'))
  })

  test('O12: a pass from a link is valid for nothing else', async () => {
    await addService('other', 9000)
    const { url } = await share()
    const { origin, cookie } = await follow(url)
    const elsewhere = origin.replace('8000-', '9000-')
    expect((await ask(`${elsewhere}/`, { ...typed, cookie })).status).toBe(401)
    expect((await follow(url.replace('8000-', '9000-'))).entered.status).toBe(401)
    const [, value = ''] = cookie.split('=')
    const { port } = listener.address() as AddressInfo
    for (const headers of [{ cookie }, { authorization: `Bearer ${value}` }] as Record<string, string>[]) {
      expect((await ask(`http://app.test00.localhost:${port}/api/v1/threads`, headers)).status).toBe(401)
    }
    expect((await ask(`${origin}/.threadbox/enter?token=${value}`)).status).toBe(401)
    expect((await ask(`${origin}/.threadbox/shared?key=${value}`)).status).toBe(401)
  })

  test('O12: a guessed URL, and one of a revoked link, get the response of a visitor without a pass', async () => {
    const { url, id } = await share()
    expect((await endLink(id)).status).toBe(204)
    const bare = (page: Answer) => [page.status, page.body.replace(/nonce="[^"]+"/g, '')]
    const nothing = bare(await ask(`${new URL(url).origin}/`, typed))
    expect(nothing[0]).toBe(401)
    expect(bare((await follow(url)).entered)).toEqual(nothing)
    expect(bare((await follow(url.replace(/key=.*/, 'key=guess'))).entered)).toEqual(nothing)
    expect((await endLink(id)).status).toBe(404)
  })

  test.each<[string, (id: string) => Promise<unknown>]>([
    ['revoking it', (id) => endLink(id)],
    [
      'its time',
      async () => {
        server.clock.now += hourSeconds * 1000
      },
    ],
    ['its thread', () => server.areas.threads.threads.delete(owner.userId, threadId)],
    ['its service', () => tablesIn(server.open).deleteFrom('services').execute()],
    ['its owner', () => tablesIn(server.open).deleteFrom('users').execute()],
  ])('O12: %s ends it: open responses are cut, and new requests are rejected', async (_what, end) => {
    host.service = (_, response) => void response.write('data: 1\n\n')
    const { url, id } = await share()
    const { origin, cookie } = await follow(url)
    const stream = await begin(`${origin}/events`, { cookie })
    await once(stream, 'data')
    const cut = new Promise((resolve) => stream.on('error', () => undefined).on('close', resolve))
    await end(id)
    await cut
    // A pass is trusted for a second after a lookup.
    server.clock.now += 2000
    expect((await ask(`${origin}/`, { ...typed, cookie })).status).toBe(401)
    expect((await follow(url)).entered.status).toBe(401)
  })

  test('O12: it outlives the session of the person who created it', async () => {
    const { url } = await share()
    const { origin, cookie } = await follow(url)
    await server.call('POST', '/api/v1/auth/sign-out', { person: owner })
    expect((await ask(`${origin}/`, { ...typed, cookie })).status).toBe(200)
  })

  test('O3: it neither wakes a sandbox nor keeps one awake, and says so', async () => {
    const { origin, cookie } = await follow((await share()).url)
    await server.areas.sandboxes.lifecycle.pause(threadId)
    const asleep = await ask(`${origin}/`, { ...typed, cookie })
    expect([asleep.status, asleep.headers['threadbox-preview']]).toEqual([503, 'asleep'])
    expect(asleep.body).toContain('The person who shared this page can wake it')
    const inLanguage = async (language: string) =>
      (await ask(`${origin}/`, { ...typed, cookie, 'accept-language': language })).body
    expect(await inLanguage('de')).toContain('Diese Seite schläft')
    expect(await inLanguage('it-IT,it;q=0.9')).toContain('Questa pagina dorme')
    expect(await inLanguage('ja')).toContain('このページは休止中です')
    expect((await server.areas.sandboxes.inside.store.find(threadId))?.state).toBe('paused')
  })

  test('O3: one that can wake the sandbox does', async () => {
    const { origin, cookie } = await follow((await share({ mayWake: true })).url)
    await server.areas.sandboxes.lifecycle.pause(threadId)
    expect((await ask(`${origin}/`, { ...typed, cookie })).body).toBe('page ')
  })

  test('a person with access to the thread keeps their own pass when they open a link', async () => {
    const { url } = await share()
    const at = new URL(url).host.replace(/^.*?\./, 'app.')
    const opened = await server.call('POST', `/api/v1/threads/${threadId}/previews`, {
      person: owner,
      headers: { host: at, origin: `http://${at}` },
      body: { port: 8000 },
    })
    const own = await follow(((await opened.json()) as { url: string }).url)
    const { entered } = await follow(url, { cookie: own.cookie })
    expect([entered.status, entered.headers['set-cookie']]).toEqual([303, undefined])
  })

  test('creating and revoking a link is in the audit log', async () => {
    const { id } = await share()
    await endLink(id)
    const events = await tablesIn(server.open).selectFrom('audit_events').selectAll().orderBy('at').execute()
    const own = events.filter(({ action }) => action.startsWith('share-link'))
    expect(own.map(({ action }) => action).sort()).toEqual(['share-link-created', 'share-link-ended'])
    expect(own.map(({ subject, user_id, json }) => [subject, user_id, JSON.parse(json)])).toEqual(
      [1, 2].map(() => [threadId, owner.userId, { service: 'web', port: 8000, link: id }]),
    )
  })

  test('when very many browsers use one link, the newest replaces the oldest', async () => {
    const { url } = await share()
    const first = await follow(url)
    const [row] = await tablesIn(server.open).selectFrom('preview_passes').selectAll().execute()
    if (row === undefined) throw new Error('a link gave no pass')
    const others = Array.from({ length: 199 }, (_, index) => ({ ...row, sha256: String(index) }))
    const later = others.map((other) => ({ ...other, created_at: row.created_at + 1 }))
    await tablesIn(server.open).insertInto('preview_passes').values(later).execute()
    server.clock.now += 2000
    const last = await follow(url)
    const passes = await tablesIn(server.open).selectFrom('preview_passes').select('sha256').execute()
    expect(passes).toHaveLength(200)
    expect((await ask(`${first.origin}/`, { ...typed, cookie: first.cookie })).status).toBe(401)
    expect((await ask(`${first.origin}/`, { ...typed, cookie: last.cookie })).status).toBe(200)
  })
})
