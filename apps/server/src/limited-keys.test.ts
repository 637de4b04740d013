import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Action, actions, keyScopes } from '@threadbox/domain'
import type { ApiKey, CreatedApiKey, UserEvent } from '@threadbox/protocol/public'
import { type HostStandIn, startHostStandIn } from '@threadbox/testkit/host-stand-in'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { makeTestApplication, type TestApplication, type TestPerson } from './application.test-utils.ts'
import type { Operation } from './bad-input.classes.test-utils.ts'
import { type Ids, makeIds } from './bad-input.ids.test-utils.ts'
import type { BadInputRow } from './bad-input.row.test-utils.ts'
import { badInputRows } from './bad-input.rows.test-utils.ts'
import { makeFrontServer } from './front-server.ts'
import { tablesIn } from './tables.test-utils.ts'

const host: HostStandIn = await startHostStandIn()
const server: TestApplication = await makeTestApplication({ hostSocket: host.socketPath })
type ActingOperation = Operation & { 'x-threadbox-action': Action }
const document = (await (await server.call('GET', '/api/v1/openapi.json')).json()) as {
  paths: Record<string, Record<string, ActingOperation>>
}
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { 'x-threadbox-action': action }]) => ({
    route: `${method.toUpperCase()} ${path}`,
    action,
    row: badInputRows[`${method.toUpperCase()} ${path}`] ?? {},
  })),
)
const withIds = operations.filter(({ row, action }) => row.unknown !== undefined && actions[action] !== 'nothing')

let owner: TestPerson
let inside: Ids
let outside: Ids
let nowhere: Ids
let key: { authorization: string }
let listener: Server
beforeAll(async () => {
  owner = await server.signUpOwner()
  inside = await makeIds(server, { person: owner, within: await makeWorkspace('inside') })
  outside = await makeIds(server, { person: owner, within: await makeWorkspace('outside') })
  nowhere = { ...(await makeIds(server, { person: owner })), workspaceId: outside.workspaceId ?? '' }
  key = keyHeaders(await makeKey({ workspaceIds: [inside.workspaceId] }))
  listener = makeFrontServer({ app: server.app, previews: server.previewServer, sockets: server.socketServer })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  listener.closeAllConnections()
  listener.close()
  await host[Symbol.asyncDispose]()
})

async function asOwner<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
  await server.confirm(owner)
  const response = await server.call(method, `/api/v1${path}`, { person: owner, body })
  expect(response.status).toBeLessThan(300)
  return (response.status === 204 ? undefined : await response.json()) as Answer
}

async function makeWorkspace(name: string): Promise<string> {
  return (await asOwner<{ id: string }>('POST', '/workspaces', { name })).id
}

async function makeKey(body: object): Promise<CreatedApiKey> {
  return await asOwner('POST', '/api-keys', { name: 'limited', scopes: keyScopes, ...body })
}

function keyHeaders({ secret }: { secret: string }) {
  return { authorization: `Bearer ${secret}` }
}

async function byKey(method: string, path: string, options: { body?: unknown; headers?: Record<string, string> } = {}) {
  const { body, headers = key } = options
  return await server.call(method, `/api/v1${path}`, { headers, body })
}

/** Status and code of an error; `accepted` for any other response. */
async function answerOf(response: Response) {
  if (response.status < 400) {
    await response.body?.cancel()
    return { status: response.status, code: 'accepted' }
  }
  const { error } = (await response.json()) as { error: { code: string; message: string; remedy: string } }
  return { status: response.status, code: error.code, message: error.message, remedy: error.remedy }
}

async function send(route: string, row: BadInputRow, params: Record<string, string | undefined>) {
  const [method = '', path = ''] = route.split(' ')
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = row.params?.[name]
    return params[name] ?? (typeof value === 'object' ? value.value : (inside[name] ?? 'missing'))
  })
  const search = new URLSearchParams(row.query).toString()
  const body = row.body ?? (row.isRaw ? new Blob(['bytes']).stream() : undefined)
  return await answerOf(await byKey(method, `${filled}${search === '' ? '' : `?${search}`}`, { body }))
}

describe('a key that is limited to a workspace', () => {
  test.each(withIds)(
    '$route: responds to what is in another workspace, or in none, exactly as to an unknown id',
    async ({ route, action, row }) => {
      const requirement = actions[action]
      const isForPeople = requirement === 'session' || requirement === 'confirmed'
      const isOutside = action === 'git-credentials.read' || action === 'machine.stop'
      for (const [name, code] of Object.entries(row.unknown ?? {})) {
        const unknown = await send(route, row, { [name]: 't-unknown' })
        expect(await send(route, row, { [name]: outside[name] ?? 'x' }), name).toEqual(unknown)
        expect(await send(route, row, { [name]: nowhere[name] ?? 'x' }), name).toEqual(unknown)
        const refusal = isForPeople ? 'auth.session-required' : isOutside ? 'auth.outside-workspaces' : code
        expect(unknown.code, name).toBe(refusal)
      }
    },
  )

  const lists = ['/threads', '/workspaces', '/skills', '/connections', '/agents', '/runs/latest', '/search?q=true']
  test.each(lists)('GET %s lists what is in its workspace and nothing else', async (path) => {
    const text = await (await byKey('GET', path)).text()
    const holds = (ids: Ids) => Object.values(ids).some((id) => text.includes(`"${id}"`))
    expect([inside, outside, nowhere].map(holds)).toEqual([true, false, false])
  })

  test('reads each thing in its workspace', async () => {
    for (const { route, row } of withIds) {
      const [name = '', code] = Object.entries(row.unknown ?? {})[0] ?? []
      const isRead = route.startsWith('GET ') && inside[name] !== undefined && !/events|socket/.test(route)
      if (isRead && name !== 'modelId') expect((await send(route, row, {})).code, route).not.toBe(code)
    }
  })

  test('copies no files from a thread outside', async () => {
    const copies = (fromThreadId: string | undefined) =>
      byKey('POST', `/threads/${inside.threadId}/files/copies`, {
        body: { fromThreadId, paths: ['/home/user/a.txt'], to: '/home/user' },
      })
    const unknown = await answerOf(await copies('t-unknown'))
    expect(unknown.code).toBe('thread.not-found')
    expect(await answerOf(await copies(outside.threadId))).toEqual(unknown)
  })

  const creations: [string, string, object][] = [
    ['thread', '/threads', { title: 'new' }],
    ['agent', '/agents', { name: 'New agent' }],
    ['workspace', '/workspaces', { name: 'New workspace' }],
  ]
  test.each(creations)('creates no %s outside of workspaces, and none in another one', async (kind, path, body) => {
    expect((await answerOf(await byKey('POST', path, { body }))).code).toBe('auth.outside-workspaces')
    if (kind === 'workspace') return
    const elsewhere = { ...body, workspaceId: outside.workspaceId }
    expect((await answerOf(await byKey('POST', path, { body: elsewhere }))).code).toBe('workspace.not-found')
    const within = { ...body, workspaceId: inside.workspaceId }
    expect((await byKey('POST', path, { body: within })).status).toBe(201)
  })

  test.each(['thread', 'skill'])('moves no %s out of its workspace', async (kind) => {
    const path = `/${kind}s/${inside[`${kind}Id`]}`
    const move = async (workspaceId: string | null | undefined) =>
      (await answerOf(await byKey('PATCH', path, { body: { workspaceId } }))).code
    expect([await move(null), await move(outside.workspaceId)]).toEqual([
      'auth.outside-workspaces',
      'workspace.not-found',
    ])
  })

  test('places no workspace relative to one that it doesn’t reach', async () => {
    const place = async (before: string | undefined) =>
      await answerOf(await byKey('PUT', `/workspaces/${inside.workspaceId}/position`, { body: { before } }))
    expect(await place(outside.workspaceId)).toEqual(await place('w-unknown'))
  })

  test.each(['/status', '/settings', '/audit', '/git-credentials'])('is refused %s with its reason', async (path) => {
    expect((await answerOf(await byKey('GET', path))).code).toBe('auth.outside-workspaces')
  })

  test.each(['/me', '/models'])('reads %s, which every key needs', async (path) => {
    expect((await byKey('GET', path)).status).toBe(200)
  })
})

describe('the workspaces of a key', () => {
  test('are shown with it, and none chosen means all', async () => {
    const limited = await makeKey({ workspaceIds: [inside.workspaceId, inside.workspaceId] })
    const unlimited = await makeKey({ workspaceIds: null })
    expect([limited.workspaceIds, unlimited.workspaceIds]).toEqual([[inside.workspaceId], null])
    const { apiKeys } = await asOwner<{ apiKeys: ApiKey[] }>('GET', '/api-keys')
    const listed = new Map(apiKeys.map(({ id, workspaceIds }) => [id, workspaceIds]))
    expect([listed.get(limited.id), listed.get(unlimited.id)]).toEqual([[inside.workspaceId], null])
    const response = await byKey('GET', `/threads/${outside.threadId}`, { headers: keyHeaders(unlimited) })
    expect(response.status).toBe(200)
  })

  test.each([
    ['an empty list', [], 'request.invalid'],
    ['an unknown one', ['w-unknown'], 'workspace.not-found'],
  ])('%s creates no key', async (_, workspaceIds, code) => {
    await server.confirm(owner)
    const body = { name: 'k', workspaceIds }
    expect((await answerOf(await server.call('POST', '/api/v1/api-keys', { person: owner, body }))).code).toBe(code)
  })

  test('another person’s creates no key', async () => {
    const other = await server.addPerson('other')
    await server.confirm(other)
    const body = { name: 'k', workspaceIds: [inside.workspaceId] }
    const response = await server.call('POST', '/api/v1/api-keys', { person: other, body })
    expect((await answerOf(response)).code).toBe('workspace.not-found')
  })

  test('can be deleted: a key whose last one is gone reaches nothing', async () => {
    const workspaceId = await makeWorkspace('short-lived')
    const shortLived = await makeKey({ workspaceIds: [workspaceId] })
    const headers = keyHeaders(shortLived)
    await asOwner('DELETE', `/workspaces/${workspaceId}`)
    server.clock.now += 60_000
    await server.start()
    const rows = () =>
      tablesIn(server.open).selectFrom('workspaces').select('id').where('id', '=', workspaceId).execute()
    await expect.poll(rows).toEqual([])
    const { apiKeys } = await asOwner<{ apiKeys: ApiKey[] }>('GET', '/api-keys')
    expect(apiKeys.find(({ id }) => id === shortLived.id)?.workspaceIds).toEqual([])
    const list = async (path: string) => await (await byKey('GET', path, { headers })).json()
    expect(await list('/threads')).toEqual({ threads: [], next: null })
    expect(await list('/workspaces')).toMatchObject({ workspaces: [] })
    expect(await list('/search?q=true')).toEqual({ hits: [] })
    expect(await list('/agents')).toEqual({ agents: [] })
    for (const { threadId } of [inside, outside, nowhere]) {
      expect((await byKey('GET', `/threads/${threadId}`, { headers })).status).toBe(404)
    }
  })
})

describe('events', () => {
  const port = () => (listener.address() as AddressInfo).port

  async function events(path: string) {
    const end = new AbortController()
    const response = await fetch(`http://127.0.0.1:${port()}/api/v1${path}`, { headers: key, signal: end.signal })
    const seen: { text: string; isEnded: boolean } = { text: '', isEnded: false }
    const read = async () => {
      for await (const chunk of response.body ?? []) seen.text += Buffer.from(chunk).toString()
    }
    read()
      .catch(() => {})
      .finally(() => {
        seen.isEnded = true
      })
    await expect.poll(() => seen.text).toContain(': keep-alive')
    return { seen, [Symbol.dispose]: () => end.abort() }
  }

  async function socket() {
    const peer = new WebSocket(`ws://127.0.0.1:${port()}/api/v1/events/socket`, {
      headers: { ...key, origin: `http://127.0.0.1:${port()}` },
    })
    const frames: { type: string; stream?: number; event?: UserEvent; error?: { code: string } | null }[] = []
    peer.on('message', (data: Buffer) => frames.push(JSON.parse(data.toString())))
    await once(peer, 'open')
    return { peer, frames, [Symbol.dispose]: () => peer.terminate() }
  }

  const rename = (threadId: string | undefined, title: string) => asOwner('PATCH', `/threads/${threadId}`, { title })

  test('over a stream and a socket are of its workspaces only', async () => {
    using stream = await events('/events')
    using page = await socket()
    page.peer.send(JSON.stringify({ type: 'open', stream: 1, source: 'user' }))
    page.peer.send(JSON.stringify({ type: 'open', stream: 2, source: 'thread', threadId: outside.threadId, after: 0 }))
    await expect.poll(() => page.frames).toContainEqual({ type: 'opened', stream: 1 })
    const refused = { type: 'ended', stream: 2, error: expect.objectContaining({ code: 'thread.not-found' }) }
    await expect.poll(() => page.frames).toContainEqual(refused)
    await rename(outside.threadId, 'hidden')
    await rename(nowhere.threadId, 'hidden')
    server.areas.people.userHub.broadcast({ type: 'awake-changed', awakeSandboxes: 1 })
    await rename(inside.threadId, 'shown')
    await expect.poll(() => stream.seen.text).toContain('"shown"')
    await expect.poll(() => JSON.stringify(page.frames)).toContain('"shown"')
    for (const text of [stream.seen.text, JSON.stringify(page.frames)]) {
      expect(text).not.toMatch(/hidden|awake-changed/)
      for (const ids of [outside, nowhere]) expect(text).not.toContain(ids.threadId)
    }
  })

  test('of a thread that is moved out of its workspaces end', async () => {
    const { id } = await asOwner<{ id: string }>('POST', '/threads', { workspaceId: inside.workspaceId })
    using stream = await events(`/threads/${id}/events`)
    using page = await socket()
    page.peer.send(JSON.stringify({ type: 'open', stream: 1, source: 'thread', threadId: id, after: 0 }))
    await expect.poll(() => page.frames).toContainEqual({ type: 'opened', stream: 1 })
    await asOwner('PATCH', `/threads/${id}`, { title: 'moved', workspaceId: null })
    const ended = { type: 'ended', stream: 1, error: expect.objectContaining({ code: 'thread.not-found' }) }
    await expect.poll(() => page.frames).toContainEqual(ended)
    await expect.poll(() => stream.seen.isEnded).toBe(true)
    expect(stream.seen.text + JSON.stringify(page.frames)).not.toContain('moved')
  })

  test('open no terminal of a thread outside', async () => {
    const statusOf = async (threadId: string | undefined) => {
      const peer = new WebSocket(`ws://127.0.0.1:${port()}/api/v1/threads/${threadId}/terminals/y1/socket`, {
        headers: { ...key, origin: `http://127.0.0.1:${port()}` },
      })
      peer.on('error', () => {})
      const [, response] = await once(peer, 'unexpected-response')
      const chunks = await (response as AsyncIterable<Buffer> & { toArray(): Promise<Buffer[]> }).toArray()
      return (JSON.parse(Buffer.concat(chunks).toString()) as { error: { code: string } }).error.code
    }
    expect(await Promise.all([inside, outside, nowhere].map(({ threadId }) => statusOf(threadId)))).toEqual([
      'terminal.not-found',
      'thread.not-found',
      'thread.not-found',
    ])
  })
})
