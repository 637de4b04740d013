import { readSettings, serverSettings } from '@threadbox/config'
import type { Connection, ConnectionLogin } from '@threadbox/protocol/public'
import { type LoginServer, type McpTestServer, startLoginServer, startMcpServer } from '@threadbox/testkit'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'
import { tablesIn } from '../../tables.test-utils.ts'

let application: TestApplication
let owner: TestPerson
let other: TestPerson
let logins: LoginServer
let server: McpTestServer
beforeAll(async () => {
  application = await makeTestApplication({
    connectionSettings: {
      ...readSettings(serverSettings, {}),
      connectionsAllow: '127.0.0.0/8',
      connectionSeconds: 5,
      connectionAnswerMebibytes: 1,
    },
  })
  owner = await application.signUpOwner()
  other = await application.addPerson('other')
})
afterAll(() => application[Symbol.asyncDispose]())
beforeEach(async () => {
  logins = await startLoginServer()
  server = await startMcpServer()
  server.logins = logins
  server.tools = [{ name: 'echo', answer: () => ({ content: [{ type: 'text', text: 'x' }] }) }]
})
afterEach(async () => {
  const { connections } = await answer<{ connections: Connection[] }>('GET', '/connections')
  for (const { id } of connections) await answer('DELETE', `/connections/${id}`)
  await server[Symbol.asyncDispose]()
  await logins[Symbol.asyncDispose]()
})

async function answer<Body>(method: string, path: string, body?: unknown, person = owner): Promise<Body> {
  const response = await application.call(method, `/api/v1${path}`, { body, person })
  return (response.status === 204 ? null : await response.json()) as Body
}
type Refusal = { error: { code: string; message: string } }

const add = (auth: object = { kind: 'oauth' }) =>
  answer<Connection>('POST', '/connections', { name: 'Tools', url: server.url, auth })
const start = (id: string) => answer<ConnectionLogin>('POST', `/connections/${id}/login`)

/** Follows the sign-in page and returns the parameters of its redirect. */
async function visit({ authorizationUrl }: ConnectionLogin): Promise<Record<string, string>> {
  const response = await fetch(authorizationUrl, { redirect: 'manual' })
  const back = new URL(response.headers.get('location') ?? '')
  expect(back.pathname).toBe('/connections/login')
  return Object.fromEntries(back.searchParams)
}
const finish = <Body = Connection>(body: object, person = owner) =>
  answer<Body>('POST', '/connections/login', body, person)
const logIn = async (id: string) => await finish(await visit(await start(id)))

describe('a connection with sign-in in the browser', () => {
  it('G9: asks for a sign-in, and lists its tools after it', async () => {
    const connection = await add()
    expect(connection).toMatchObject({
      status: 'failed',
      tools: [],
      auth: { kind: 'oauth', header: null },
      failure: { code: 'connection.login-needed' },
    })
    const login = await start(connection.id)
    expect(login.host).toBe(new URL(logins.issuer).host)
    const sent = new URL(login.authorizationUrl).searchParams
    expect(sent.get('code_challenge_method')).toBe('S256')
    expect(sent.get('resource')).toBe(server.url)
    expect(await finish(await visit(login))).toMatchObject({
      status: 'ready',
      failure: null,
      tools: [{ name: 'echo' }],
    })
    expect(await answer<Connection>('POST', `/connections/${connection.id}/test`)).toMatchObject({ status: 'ready' })
  })

  it('G9: no token, code or client secret is in a response, the audit log or, unsealed, in the database', async () => {
    logins.clients.set('made-by-hand', { redirectUris: [], secret: 'the-clients-own-secret' })
    const client = { id: 'made-by-hand', secret: 'the-clients-own-secret' }
    const connection = await add({ kind: 'oauth', client, scope: 'read write' })
    const login = await start(connection.id)
    const sent = new URL(login.authorizationUrl).searchParams
    expect([sent.get('client_id'), sent.get('scope')]).toEqual(['made-by-hand', 'read write'])
    logins.clients.get('made-by-hand')?.redirectUris.push(sent.get('redirect_uri') ?? '')
    const ready = await finish(await visit(login))
    expect(ready.status).toBe('ready')
    const [request] = logins.tokenRequests
    const bearer = server.requests.at(-1)?.headers.authorization?.replace('Bearer ', '') ?? ''
    expect(request?.client_secret).toBe('the-clients-own-secret')
    expect(logins.accepts(bearer)).toBe(true)
    const rows = await tablesIn(application.open).selectFrom('connections').selectAll().execute()
    const audited = await answer<unknown>('GET', '/audit')
    expect(JSON.stringify(audited)).toContain('connection-logged-in')
    for (const secret of ['the-clients-own-secret', bearer, request?.code ?? '', request?.code_verifier ?? '']) {
      expect(secret.length).toBeGreaterThan(10)
      for (const seen of [connection, ready, rows, audited]) expect(JSON.stringify(seen)).not.toContain(secret)
    }
  })

  it('G9: a token that expires soon or is rejected is renewed once, even if several requests need it', async () => {
    const { id } = await add()
    logins.tokenSeconds = 0
    expect(await logIn(id)).toMatchObject({ failure: { code: 'connection.unauthorized' } })
    logins.tokenSeconds = 3600
    const renewals = () => logins.tokenRequests.filter(({ grant_type: kind }) => kind === 'refresh_token').length
    const before = renewals()
    const tested = Array.from({ length: 4 }, () => answer<Connection>('POST', `/connections/${id}/test`))
    for (const connection of await Promise.all(tested)) expect(connection.status).toBe('ready')
    expect(renewals() - before).toBe(1)
    logins.revoke('access')
    expect(await answer<Connection>('POST', `/connections/${id}/test`)).toMatchObject({ status: 'ready' })
    expect(renewals() - before).toBe(2)
  })

  it('G9: a sign-in that the server ended is asked for again; one that cannot be renewed for now is kept', async () => {
    const { id } = await add()
    await logIn(id)
    logins.revoke('access')
    await logins[Symbol.asyncDispose]()
    const away = await answer<Connection>('POST', `/connections/${id}/test`)
    expect(away.failure?.code).toBe('connection.unreachable')
    // The authorization server is back at another address: only the user can send a browser there.
    logins = await startLoginServer()
    server.logins = logins
    expect(await logIn(id)).toMatchObject({ status: 'ready' })
    logins.revoke('all')
    const ended = await answer<Connection>('POST', `/connections/${id}/test`)
    expect(ended).toMatchObject({ failure: { code: 'connection.login-needed' }, tools: [{ name: 'echo' }] })
    expect(await logIn(id)).toMatchObject({ status: 'ready' })
  })
})

describe('the return from a sign-in page', () => {
  it.each(['another state', 'another person', 'twice', 'a code of another sign-in', 'another issuer'])(
    'G9: %s is rejected and signs no user in',
    async (how) => {
      const { id } = await add()
      const back = await visit(await start(id))
      let person = owner
      if (how === 'another state') back.state = `${id}.${'x'.repeat(32)}`
      if (how === 'another person') person = other
      if (how === 'a code of another sign-in') back.code = (await visit(await start(id))).code ?? ''
      if (how === 'another issuer') back.iss = 'https://login.example'
      if (how === 'twice') await finish(back)
      const refused = await finish<Refusal>(back, person)
      expect(refused.error.code).toBe('connection.login-failed')
      const { status } = await answer<Connection>('GET', `/connections/${id}`)
      expect(status).toBe(how === 'twice' ? 'ready' : 'failed')
    },
  )

  it('G9: a hand-made client’s secret goes only to the authorization server that it was first used with', async () => {
    logins.clients.set('by-hand', { redirectUris: [], secret: 'the-secret-of-by-hand' })
    const { id } = await add({ kind: 'oauth', client: { id: 'by-hand', secret: 'the-secret-of-by-hand' } })
    await start(id)
    await using others = await startLoginServer()
    server.logins = others
    const refused = await answer<Refusal>('POST', `/connections/${id}/login`)
    expect(refused.error.message).toContain('its authorization server has changed')
    expect(others.tokenRequests).toEqual([])
  })

  it('G9: a refusal by the user is reported in the server’s words', async () => {
    const { id } = await add()
    logins.isDenying = true
    const refused = await finish<Refusal>(await visit(await start(id)))
    expect(refused.error.message).toContain('access_denied')
  })
})

describe('malicious authorization servers', () => {
  it.each([
    ['leads the browser to a script', 'authorization_endpoint', 'javascript:alert(1)'],
    ['leads the browser into the private network', 'authorization_endpoint', 'https://169.254.169.254/latest'],
    ['sends the code into the private network', 'token_endpoint', 'https://10.0.0.1/token'],
    ['names another issuer', 'issuer', 'https://login.example'],
    ['registers no clients', 'registration_endpoint', undefined],
    ['has too much metadata', 'scopes_supported', ['x'.repeat(100_000)]],
    ['sends without end', 'scopes_supported', ['x'.repeat(2_000_000)]],
  ])('G9: one that %s is refused, with a reason', async (_how, field, value) => {
    const { id } = await add()
    logins.metadata[field] = value
    let refused = await answer<Refusal | ConnectionLogin>('POST', `/connections/${id}/login`)
    if ('authorizationUrl' in refused) refused = await finish<Refusal>(await visit(refused))
    expect((refused as Refusal).error.code).toMatch(
      /^connection\.(login-failed|address-refused|address-invalid|answer-invalid|answer-too-large)$/,
    )
    expect((refused as Refusal).error.message).not.toContain('x'.repeat(1000))
    expect((await answer<Connection>('GET', `/connections/${id}`)).failure?.code).toBe('connection.login-needed')
  })

  it('G9: connections with tokens have no sign-in', async () => {
    const connection = await add({ kind: 'bearer', token: 'abcdef-token' })
    const refused = await answer<Refusal>('POST', `/connections/${connection.id}/login`)
    expect(refused.error.code).toBe('connection.has-no-login')
  })
})
