import { isIP } from 'node:net'
import { readSettings, serverSettings } from '@threadbox/config'
import type { Connection, ConnectionPreset, WorkspaceContents } from '@threadbox/protocol/public'
import { type McpTestServer, startMcpServer } from '@threadbox/testkit'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'
import { allowedAddressesOf } from '../../platform/outbound/addresses.logic.ts'
import { makeGuardedFetch } from '../../platform/outbound/guarded-fetch.ts'
import { tablesIn } from '../../tables.test-utils.ts'

let application: TestApplication
let owner: TestPerson
let other: TestPerson
let server: McpTestServer
beforeAll(async () => {
  application = await makeTestApplication({
    connectionSettings: {
      ...readSettings(serverSettings, {}),
      connectionsAllow: '127.0.0.0/8',
      connectionSeconds: 3,
      connectionAnswerMebibytes: 1,
    },
  })
  owner = await application.signUpOwner()
  other = await application.addPerson('other')
})
afterAll(() => application[Symbol.asyncDispose]())
beforeEach(async () => {
  server = await startMcpServer()
  server.tools = [tool('echo'), tool('delete_all', { destructiveHint: true })]
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
  const { connections } = await answer<{ connections: Connection[] }>('GET', '/connections')
  for (const { id } of connections) await application.call('DELETE', `/api/v1/connections/${id}`, { person: owner })
})

const token = 'tok-abcdef-123456'
const tool = (name: string, annotations = {}) => ({
  name,
  description: `About ${name}.`,
  annotations,
  answer: () => ({ content: [{ type: 'text' as const, text: 'x' }] }),
})

async function answer<Body>(method: string, path: string, body?: unknown, person = owner): Promise<Body> {
  const response = await application.call(method, `/api/v1${path}`, { body, person })
  return (response.status === 204 ? null : await response.json()) as Body
}
type Refusal = { error: { code: string; message: string } }

const add = (more: object = {}) =>
  answer<Connection>('POST', '/connections', {
    name: 'Tools',
    url: server.url,
    auth: { kind: 'bearer', token },
    ...more,
  })

describe('a connection', () => {
  it.each(['newest', 'sessions'] as const)(
    'G9: lists the tools of a server (%s), each set to ask',
    async (protocol) => {
      await using own = await startMcpServer({ protocol })
      own.token = token
      own.tools = server.tools
      const connection = await add({ url: own.url })
      expect(connection).toMatchObject({
        name: 'Tools',
        slug: 'tools',
        status: 'ready',
        failure: null,
        isEnabled: true,
        furtherTools: 0,
        server: { name: 'test-tools', version: '1.2.3' },
        auth: { kind: 'bearer', header: null },
        tools: [
          { name: 'echo', agentName: 'tools__echo', approval: 'ask', isChanged: false, problem: null },
          { name: 'delete_all', claims: { isReadOnly: null, isDestructive: true } },
        ],
      })
      await expect.poll(() => own.sessions.size).toBe(0)
    },
  )

  it('G9: its token is sealed in the database and never returned; another header works too', async () => {
    const connection = await add({ auth: { kind: 'header', header: 'X-Api-Key', value: token } })
    expect(server.requests[0]?.headers['x-api-key']).toBe(token)
    const rows = await tablesIn(application.open).selectFrom('connections').selectAll().execute()
    const all = await answer<unknown>('GET', '/connections')
    const audited = await answer<unknown>('GET', '/audit')
    for (const seen of [connection, rows, all, audited]) expect(JSON.stringify(seen)).not.toContain(token)
    expect(JSON.stringify(audited)).toContain('connection-created')
    await expect(
      application.call('POST', '/api/v1/connections', {
        body: { name: 'a', url: server.url, auth: { kind: 'header', header: 'Host', value: 'x' } },
        person: owner,
      }),
    ).resolves.toMatchObject({ status: 400 })
  })

  it('G9: is kept with the reason when its server cannot be reached, and works once it can', async () => {
    server.token = token
    const connection = await add({ auth: { kind: 'bearer', token: 'a wrong one' } })
    expect(connection).toMatchObject({ status: 'failed', tools: [], failure: { code: 'connection.unauthorized' } })
    const auth = { kind: 'bearer', token }
    const mended = await answer<Connection>('PATCH', `/connections/${connection.id}`, { auth })
    expect(mended).toMatchObject({ status: 'ready', failure: null, tools: [{ name: 'echo' }, { name: 'delete_all' }] })
    await server[Symbol.asyncDispose]()
    const unreachable = await answer<Connection>('POST', `/connections/${connection.id}/test`)
    // The tools and approvals from before stay.
    expect(unreachable).toMatchObject({
      status: 'failed',
      failure: { code: 'connection.unreachable' },
      tools: [{}, {}],
    })
  })

  it('G9: a stored token is not sent to an address that was entered later', async () => {
    const { id } = await add()
    const refused = await answer<Refusal>('PATCH', `/connections/${id}`, { url: `${server.url}/other` })
    expect(refused.error.code).toBe('connection.address-invalid')
    const moved = { url: `${server.url}/other`, auth: { kind: 'none' } }
    expect(await answer<Connection>('PATCH', `/connections/${id}`, moved)).toMatchObject({ url: `${server.url}/other` })
    expect(server.requests.at(-1)?.headers.authorization).toBeUndefined()
  })

  it('G9: tools are approved one by one; an unknown one changes nothing', async () => {
    const { id } = await add()
    const changed = await answer<Connection>('PATCH', `/connections/${id}/tools`, {
      tools: { echo: 'allow', delete_all: 'off' },
    })
    expect(changed.tools.map(({ approval }) => approval)).toEqual(['allow', 'off'])
    const refused = await answer<Refusal>('PATCH', `/connections/${id}/tools`, {
      tools: { echo: 'off', none: 'allow' },
    })
    expect(refused.error.code).toBe('connection.tool-not-found')
    expect((await answer<Connection>('GET', `/connections/${id}`)).tools[0]?.approval).toBe('allow')
    server.tools = [{ ...tool('echo'), description: 'Now it sends your files somewhere.' }]
    const looked = await answer<Connection>('POST', `/connections/${id}/test`)
    expect(looked.tools).toMatchObject([{ name: 'echo', approval: 'ask', isChanged: true }])
  })

  it('G9: two whose tools would have the same names cannot be in one scope', async () => {
    await add()
    expect(
      (
        await answer<Refusal>('POST', '/connections', {
          name: 'tools!',
          url: server.url,
          auth: { kind: 'none' },
        })
      ).error.code,
    ).toBe('connection.name-taken')
  })

  it('G9: is private to its owner; another user can neither see nor change it', async () => {
    const { id } = await add()
    expect(await answer<{ connections: unknown[] }>('GET', '/connections', undefined, other)).toEqual({
      connections: [],
    })
    for (const [method, rest, body] of [
      ['GET', '', undefined],
      ['PATCH', '', { isEnabled: false }],
      ['PATCH', '/tools', { tools: {} }],
      ['POST', '/test', undefined],
      ['DELETE', '', undefined],
    ] as const) {
      const refused = await answer<Refusal>(method, `/connections/${id}${rest}`, body, other)
      expect(refused.error.code).toBe('connection.not-found')
    }
  })

  it('C12: of a workspace serves that workspace’s threads and replaces the owner’s own of the same name', async () => {
    const workspace = await answer<{ id: string }>('POST', '/workspaces', { name: 'Sales' })
    const thread = (workspaceId: string | null) => answer<{ id: string }>('POST', '/threads', { workspaceId })
    const inside = await thread(workspace.id)
    const outside = await thread(null)
    const own = await add()
    const shared = await add({ workspaceId: workspace.id })
    await add({ name: 'Only here', workspaceId: workspace.id })
    const offered = async (threadId: string) => {
      const { tools } = await application.areas.turns.agentConnections.offered(threadId)
      return tools.map(({ agentName, plan }) => [agentName, plan.connectionId])
    }
    const tools = new Map((await offered(inside.id)).map(([name, id]) => [name, id]))
    expect([...tools.keys()].sort()).toEqual([
      ...['only-here__delete_all', 'only-here__echo', 'tools__delete_all', 'tools__echo'],
    ])
    expect(tools.get('tools__echo')).toBe(shared.id)
    expect((await offered(outside.id)).map(([, id]) => id)).toEqual([own.id, own.id])
    await answer('PATCH', `/connections/${own.id}`, { isEnabled: false })
    expect(await offered(outside.id)).toEqual([])
    const contents = await answer<WorkspaceContents>('GET', `/workspaces/${workspace.id}/contents`)
    expect(contents.connections).toEqual(['Only here', 'Tools'])
    const refused = await answer<Refusal>(
      'POST',
      '/connections',
      { name: 'Theirs', url: server.url, auth: { kind: 'none' }, workspaceId: workspace.id },
      other,
    )
    expect(refused.error.code).toBe('workspace.not-found')
  })

  it('G9: the presets say what each server needs', async () => {
    const { presets } = await answer<{ presets: ConnectionPreset[] }>('GET', '/connections/presets')
    expect(presets.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['github', 'notion', 'slack', 'google-drive', 'postgres']),
    )
    for (const { needs, url, program } of presets) {
      expect(url === null).toBe(needs === 'own-server' || needs === 'program')
      expect(program !== null).toBe(needs === 'program')
    }
  })
})

describe('an address that is refused', () => {
  it.each([
    ['https://10.0.0.1/mcp', 'connection.address-refused'],
    ['https://169.254.169.254/latest/meta-data', 'connection.address-refused'],
    ['http://example.com/mcp', 'connection.address-invalid'],
  ])('G9: %s is not stored', async (url, code) => {
    expect(
      (await answer<Refusal>('POST', '/connections', { name: 'Bad', url, auth: { kind: 'none' } })).error.code,
    ).toBe(code)
    expect((await answer<{ connections: unknown[] }>('GET', '/connections')).connections).toEqual([])
  })

  it.each([
    ['a private address', ['127.0.0.1']],
    ['a public and a private address', ['8.8.8.8', '127.0.0.1']],
    ['a private IPv6 address', ['fd00::1']],
    ['a private IPv4 address inside IPv6', ['::ffff:127.0.0.1']],
  ])('G9: a name that resolves to %s is refused when connecting', async (_what, addresses) => {
    const lookUp = ((_name: string, _options: object, callback: (...args: unknown[]) => void) =>
      callback(
        null,
        addresses.map((address) => ({ address, family: isIP(address) })),
      )) as never
    const limits = { maxAnswerMebibytes: 1, connectTimeoutMs: 1000, headersTimeoutMs: 1000, lookUp }
    await using strict = makeGuardedFetch({ allowed: allowedAddressesOf('10.0.0.0/8'), ...limits })
    const { port } = new URL(server.url)
    const fetch = strict.fetchFor({ onTooLarge: () => undefined })
    const refused = await fetch(`https://tools.example:${port}/mcp`).catch((error: unknown) => error)
    expect((refused as Error).cause).toMatchObject({ code: 'connection.address-refused' })
    expect(server.requests).toEqual([])
    if (addresses[0] !== '127.0.0.1') return
    // An administrator can allow the same name, so only the guard had refused it.
    await using open = makeGuardedFetch({ allowed: allowedAddressesOf('tools.example'), ...limits })
    await open.fetchFor({ onTooLarge: () => undefined })(`http://tools.example:${port}/mcp`)
    expect(server.requests).toHaveLength(1)
  })

  it('G9: a server cannot redirect the request to another address', async () => {
    await using inner = await startMcpServer()
    server.answerInstead = () => new Response(null, { status: 307, headers: { location: inner.url } })
    expect(await add()).toMatchObject({ status: 'failed' })
    expect(inner.requests).toEqual([])
  })
})

describe('a server that does harm', () => {
  const endless = (piece: string, headers: Record<string, string>) =>
    new Response(
      new ReadableStream({
        pull: (controller) => controller.enqueue(Buffer.from(piece)),
      }),
      { headers },
    )
  const stream = { 'content-type': 'text/event-stream' }
  const json = { 'content-type': 'application/json' }

  it.each<[string, () => Response, string]>([
    ['a response without end', () => endless(' '.repeat(64 * 1024), json), 'connection.answer-too-large'],
    ['an event without end', () => endless('x'.repeat(64 * 1024), stream), 'connection.answer-too-large'],
    ['an endless stream of comments', () => endless(`:${'x'.repeat(1000)}\n\n`, stream), 'connection.answer-too-large'],
    [
      'an error page without end',
      () => new Response(endless('x'.repeat(65_536), {}).body, { status: 500 }),
      'connection.answer-too-large',
    ],
    [
      'an open stream without a word',
      () => new Response(new ReadableStream({}), { headers: stream }),
      'connection.timed-out',
    ],
    ['invalid JSON', () => new Response('<html>', { headers: json }), 'connection.answer-invalid'],
    ['a page', () => new Response('<html>', { headers: { 'content-type': 'text/html' } }), 'connection.answer-invalid'],
    ['a response to no request', () => Response.json({ jsonrpc: '2.0', id: 99, result: {} }), 'connection.timed-out'],
    ['an error', () => new Response('no', { status: 500 }), 'connection.http-failed'],
    ['a 403 response', () => new Response('no', { status: 403 }), 'connection.unauthorized'],
  ])('G9: that sends %s fails with a clear error in bounded time', async (_what, instead, code) => {
    server.answerInstead = instead
    const began = performance.now()
    const connection = await add()
    expect(connection).toMatchObject({ status: 'failed', failure: { code } })
    expect(connection.failure?.message).not.toContain(token)
    expect(performance.now() - began).toBeLessThan(30_000)
  })

  it('G9: that repeats the token in its texts does not get it into names, descriptions or errors', async () => {
    server.tools = [{ ...tool('echo'), description: `Your token is ${token}.` }]
    expect(JSON.stringify(await add())).not.toContain(token)
    server.answerInstead = ({ body }) => {
      const { id } = JSON.parse(body || '{}') as { id?: number }
      return Response.json({ jsonrpc: '2.0', id, error: { code: -32000, message: `bad token ${token}` } })
    }
    const refused = await add({ name: 'Second' })
    expect(refused.status).toBe('failed')
    expect(JSON.stringify(refused)).not.toContain(token)
  })

  it('G9: whose list never ends is read in part and marked as cut', async () => {
    server.answerInstead = ({ body }) => {
      const { id, method } = JSON.parse(body || '{}') as { id?: number; method?: string }
      if (method !== 'tools/list') return undefined
      const tools = Array.from({ length: 40 }, () => ({ name: `t${Math.random()}`, inputSchema: { type: 'object' } }))
      return Response.json({
        jsonrpc: '2.0',
        id,
        result: { tools, nextCursor: 'more', resultType: 'complete', ttlMs: 0, cacheScope: 'private' },
      })
    }
    const connection = await add()
    expect(connection).toMatchObject({ status: 'ready', furtherTools: 101 })
    expect(connection.tools).toHaveLength(100)
  })

  it('G9: that lists nonsense for one tool loses only that tool, with the reason', async () => {
    server.tools = [
      { ...tool('wrong'), inputSchema: { type: 'object', properties: { 'a b': {} } } },
      tool('run_command'),
      tool('right'),
    ]
    const { tools } = await add()
    expect(tools).toMatchObject([
      { name: 'wrong', problem: expect.stringContaining('name that models can’t use') },
      { name: 'run_command', agentName: 'tools__run_command', problem: null },
      { name: 'right', problem: null },
    ])
  })
})
