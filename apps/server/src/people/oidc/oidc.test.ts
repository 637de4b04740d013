import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { AuditEvent, PersonQuotas, Workspaces } from '@threadbox/protocol/public'
import { startScriptedIssuer } from '@threadbox/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  makeTestApplication,
  ownerRequest,
  type TestApplication,
  type TestPerson,
} from '../../application.test-utils.ts'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'
import { tablesIn } from '../../tables.test-utils.ts'
import { hourMs, makeOidcBench, nothing } from './oidc.test-utils.ts'
import { type RealIssuer, startRealIssuer } from './real-issuer.test-utils.ts'

const ann = { name: 'Ann', email: 'ann@example.com', email_verified: true }
const listed = { claim: 'groups', source: 'id-token' as const }
const nested = { claim: 'realm.roles', source: 'userinfo' as const }

onBothDatabases((target) => {
  let server: TestApplication
  let owner: TestPerson
  let bench: ReturnType<typeof makeOidcBench>
  let bridge: Awaited<ReturnType<typeof startBridge>>
  const redirects: string[] = []
  let first: RealIssuer
  let second: RealIssuer
  beforeEach(async () => {
    server = await makeTestApplication(await target())
    owner = await server.signUpOwner()
    bench = makeOidcBench(server, owner)
    bridge = await startBridge(() => server)
    redirects.length = 0
    first = await startRealIssuer({ isIdTokenFull: true, redirectUris: redirects, logoutUri: `${bridge.url}/logout` })
    second = await startRealIssuer({ isIdTokenFull: false, redirectUris: redirects })
    for (const issuer of [first, second]) issuer.people.set('ann', { ...ann, groups: ['all'], realm: { roles: 'all' } })
  })
  afterEach(async () => {
    await server[Symbol.asyncDispose]()
    for (const one of [first, second, bridge]) await one[Symbol.asyncDispose]()
  })

  async function add(issuer: RealIssuer, settings: Parameters<typeof bench.addProvider>[1] = {}) {
    const provider = await bench.addProvider(issuer, settings)
    redirects.push(provider.addresses.callback)
    bridge.providerId = provider.id
    return provider
  }
  const recheck = async (hours: number) => {
    server.clock.now += hours * hourMs
    await server.areas.people.oidc.rechecks.run()
  }
  const audited = async (action: string) =>
    (await bench.as<{ events: AuditEvent[] }>(owner, 'GET', '/audit')).events.filter((event) => event.action === action)
  const mappedTo = (values: object) => [{ ...nothing, group: 'leads', ...values }]

  describe('the first sign-in', () => {
    test.each([
      ['a list in the ID token', 'first', { groups: ['all', 'leads'] }, listed],
      ['a text in the ID token', 'first', { groups: 'all,leads' }, listed],
      ['a list in userinfo', 'second', { groups: ['all', 'leads'] }, { ...listed, source: 'userinfo' as const }],
      ['a text in userinfo, below a path', 'second', { realm: { roles: 'all, leads' } }, nested],
    ])('C12: gives what the groups say, from %s', async (_, name, claims, place) => {
      const issuer = name === 'first' ? first : second
      issuer.people.set('ann', { ...ann, ...claims })
      const { id: workspaceId } = await bench.as<{ id: string }>(owner, 'POST', '/workspaces', { name: 'Leads' })
      const limits = { concurrentRuns: 9, awakeSandboxes: null, modelMicroUsdPerMonth: null }
      const preset = await bench.as<{ id: string }>(owner, 'POST', '/quota-presets', { name: 'Leads', limits })
      const mappings = mappedTo({ role: 'admin', workspaceId, workspaceRole: 'viewer', presetId: preset.id })
      const provider = await add(issuer, { groups: { ...place, mappings } })
      const { person } = await bench.signIn(provider, issuer)
      expect(await bench.me(person)).toMatchObject({ name: 'Ann', email: 'ann@example.com', role: 'admin' })
      const { workspaces } = await bench.as<Workspaces>(person, 'GET', '/workspaces')
      expect(workspaces).toMatchObject([{ name: 'Leads', role: 'viewer' }])
      const quotas = await bench.as<PersonQuotas>(owner, 'GET', `/people/${person.userId}/quotas`)
      expect(quotas.presetId).toBe(preset.id)
      expect((await bench.signIn(provider, issuer)).person.userId).toBe(person.userId)
    })

    test('C12: keeps subjects of two issuers apart, and secrets out of every table', async () => {
      const [one, two] = [await add(first), await add(second, { groups: { ...nested, mappings: [] } })]
      const { person } = await bench.signIn(one, first)
      second.people.set('ann', { ...ann, email: 'other@example.com', realm: { roles: 'all' } })
      expect((await bench.signIn(two, second)).person.userId).not.toBe(person.userId)
      const tables = tablesIn(server.open)
      const stored = JSON.stringify([
        await tables.selectFrom('oidc_providers').selectAll().execute(),
        await tables.selectFrom('oidc_sessions').selectAll().execute(),
        await tables.selectFrom('audit_events').selectAll().execute(),
      ])
      expect(stored).not.toContain(first.client.secret)
      const listing = await bench.as<object>(owner, 'GET', '/sign-in-providers')
      expect(JSON.stringify(listing)).not.toContain(first.client.secret)
      expect(await audited('logged-in')).toHaveLength(2)
    })

    test('O11: metrics count it as one through a provider, and others by their own way', async () => {
      const provider = await add(first)
      await bench.signIn(provider, first)
      const { email, password } = ownerRequest()
      await server.call('POST', '/api/v1/auth/sign-in', { body: { email, password } })
      await server.call('POST', '/api/v1/auth/sign-in', { body: { email, password: 'another password' } })
      const counted = (await server.areas.installation.metrics.text()).match(/^threadbox_logins_total.*$/gm)
      expect(counted).toEqual(
        expect.arrayContaining([
          'threadbox_logins_total{way="oidc",outcome="accepted"} 1',
          'threadbox_logins_total{way="password",outcome="accepted"} 1',
          'threadbox_logins_total{way="password",outcome="refused"} 1',
        ]),
      )
    })

    test('C12: two at the same time are one person', async () => {
      const provider = await add(first)
      const arrivals = await Promise.all([1, 2, 3].map(() => bench.signIn(provider, first)))
      const done = arrivals.filter(({ code }) => code === 'done')
      expect(new Set(done.map(({ person }) => person.userId)).size).toBe(1)
      const people = await tablesIn(server.open).selectFrom('users').select('id').execute()
      expect(people).toHaveLength(2)
    })
  })

  describe('the check after some hours', () => {
    test('C12: removes what groups gave, and only that', async () => {
      const { id: workspaceId } = await bench.as<{ id: string }>(owner, 'POST', '/workspaces', { name: 'Leads' })
      const { id: other } = await bench.as<{ id: string }>(owner, 'POST', '/workspaces', { name: 'By hand' })
      first.people.set('ann', { ...ann, groups: ['all', 'leads'] })
      const mappings = mappedTo({ role: 'admin', workspaceId, workspaceRole: 'member' })
      const provider = await add(first, { groups: { ...listed, mappings } })
      const { person } = await bench.signIn(provider, first)
      await bench.as(owner, 'PUT', `/workspaces/${other}/members/${person.userId}`, { role: 'member' })
      first.people.set('ann', { ...ann, groups: ['all'] })
      await recheck(7)
      expect((await bench.me(person)).role).toBe('admin')
      await recheck(1)
      expect((await bench.me(person)).role).toBe('member')
      const { workspaces } = await bench.as<Workspaces>(person, 'GET', '/workspaces')
      expect(workspaces).toMatchObject([{ name: 'By hand' }])
      expect(await audited('person-role-mapped')).toHaveLength(2)
    })

    test('C12: keeps a role that was set by hand, whatever the groups say', async () => {
      const { id: workspaceId } = await bench.as<{ id: string }>(owner, 'POST', '/workspaces', { name: 'Leads' })
      const mappings = mappedTo({ role: 'admin', workspaceId, workspaceRole: 'member' })
      const provider = await add(first, { groups: { ...listed, mappings } })
      const { person } = await bench.signIn(provider, first)
      await bench.as(owner, 'PATCH', `/people/${person.userId}`, { role: 'admin' })
      await bench.as(owner, 'PUT', `/workspaces/${workspaceId}/members/${person.userId}`, { role: 'owner' })
      await recheck(8)
      expect((await bench.me(person)).role).toBe('admin')
      first.people.set('ann', { ...ann, groups: ['all', 'leads'] })
      await recheck(8)
      await bench.as(owner, 'PATCH', `/people/${person.userId}`, { role: 'member' })
      await recheck(8)
      expect((await bench.me(person)).role).toBe('member')
      first.people.set('ann', { ...ann, groups: ['all'] })
      await recheck(8)
      const { workspaces } = await bench.as<Workspaces>(person, 'GET', '/workspaces')
      expect(workspaces).toMatchObject([{ name: 'Leads', role: 'owner' }])
    })

    test('C12: ends all sessions of a person who is disabled at the issuer, or left the required group', async () => {
      const provider = await add(first)
      const [one, two] = [await bench.signIn(provider, first), await bench.signIn(provider, first)]
      const password = await server.addPerson('ben')
      first.people.delete('ann')
      await recheck(8)
      expect(await Promise.all([one, two].map(({ person }) => bench.isSignedIn(person)))).toEqual([false, false])
      expect(await bench.isSignedIn(password)).toBe(true)
      first.people.set('ann', { ...ann, groups: ['all'] })
      const again = await bench.signIn(provider, first)
      first.people.set('ann', { ...ann, groups: ['some'] })
      await recheck(8)
      expect(await bench.isSignedIn(again.person)).toBe(false)
      const codes = (await audited('sessions-ended')).map(({ details }) => details?.code)
      expect([...new Set(codes)]).toEqual(['sign-in.group-missing', 'sign-in.code-refused'])
    })

    test('C12: continues for days, with a new refresh token each time', async () => {
      const provider = await add(first)
      const { person } = await bench.signIn(provider, first)
      for (let count = 0; count < 5; count++) await recheck(8)
      expect(await bench.isSignedIn(person)).toBe(true)
    })
  })

  test('C12: a sign-out at the issuer ends that session here, and no other', async () => {
    const provider = await add(first)
    const [one, two] = [await bench.signIn(provider, first), await bench.signIn(provider, first)]
    const rows = await tablesIn(server.open).selectFrom('oidc_sessions').select('provider_sid').execute()
    const sids = rows.map(({ provider_sid }) => provider_sid ?? '')
    expect(new Set(sids).size).toBe(2)
    for (const [index, sid] of sids.entries()) {
      await first.signOut('ann', sid)
      const open = await Promise.all([one, two].map(({ person }) => bench.isSignedIn(person)))
      expect(open.filter((isOpen) => isOpen)).toHaveLength(1 - index)
    }
    expect(bridge.statuses).toEqual([200, 200])
  })

  test('C12: removing a provider signs out everyone who came with it, and removes what its groups gave', async () => {
    first.people.set('ann', { ...ann, groups: ['all', 'leads'] })
    const provider = await add(first, { groups: { ...listed, mappings: mappedTo({ role: 'admin' }) } })
    const { person } = await bench.signIn(provider, first)
    expect(await bench.codeOf(owner, 'DELETE', `/sign-in-providers/${provider.id}`)).toBe('done')
    expect(await bench.isSignedIn(person)).toBe(false)
    const { people } = await bench.as<{ people: { name: string; role: string }[] }>(owner, 'GET', '/people')
    expect(people).toMatchObject([{ name: 'Ann', role: 'member' }, { name: 'Owner' }])
    expect((await bench.send('GET', '/auth/providers')).status).toBe(200)
  })

  test('C12: providers are the owner’s to change', async () => {
    const provider = await add(first)
    const ada = await server.addPerson('ada')
    await bench.as(owner, 'PATCH', `/people/${ada.userId}`, { role: 'admin' })
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['POST', '', { name: 'x', issuer: 'https://a.example', clientId: 'x' }],
      ['PATCH', `/${provider.id}`, { name: 'x' }],
      ['DELETE', `/${provider.id}`, undefined],
      ['POST', `/${provider.id}/test`, undefined],
    ] as const) {
      expect(await bench.codeOf(ada, method, `/sign-in-providers${path}`, body)).toBe('sign-in.owner-only')
    }
    const taken = { name: 'x', issuer: `${first.url}/`, clientId: 'x' }
    expect(await bench.codeOf(owner, 'POST', '/sign-in-providers', taken)).toBe('sign-in.issuer-taken')
    expect(await bench.as(owner, 'POST', `/sign-in-providers/${provider.id}/test`)).toMatchObject({ hasLogout: true })
    const rule = { join: { rule: 'domains', domains: [], group: null } }
    expect(await bench.codeOf(owner, 'PATCH', `/sign-in-providers/${provider.id}`, rule)).toBe(
      'sign-in.settings-invalid',
    )
  })
})

describe('an issuer that misbehaves', () => {
  async function start() {
    const server = await makeTestApplication()
    const bench = makeOidcBench(server, await server.signUpOwner())
    const issuer = await startScriptedIssuer()
    issuer.person = { ...issuer.person, groups: ['all'], sid: 's1' }
    const provider = await bench.addProvider(issuer)
    const recheck = async (hours: number) => {
      server.clock.now += hours * hourMs
      // The issuer’s clock is the machine’s.
      issuer.script.aheadSeconds = Math.round((server.clock.now - Date.now()) / 1000)
      await server.areas.people.oidc.rechecks.run()
    }
    const logOut = async (claims: object, change: (token: string) => string = (token) => token) => {
      const token = change(await issuer.logoutToken({ sub: 'ann', ...claims }))
      const body = new URLSearchParams({ logout_token: token }).toString()
      const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: 'http://localhost' }
      const response = await server.call('POST', `/sign-in/${provider.id}/logout`, { body, headers })
      return response.status === 200 ? 'done' : ((await response.json()) as { error: { code: string } }).error.code
    }
    return {
      server,
      bench,
      issuer,
      provider,
      recheck,
      logOut,
      [Symbol.asyncDispose]: async () => {
        await server[Symbol.asyncDispose]()
        await issuer[Symbol.asyncDispose]()
      },
    }
  }

  test('C12: and gives no refresh token: the session ends after the hours', async () => {
    await using given = await start()
    given.issuer.script.refresh = 'none'
    const { person } = await given.bench.signIn(given.provider, given.issuer)
    await given.recheck(7)
    expect(await given.bench.isSignedIn(person)).toBe(true)
    await given.recheck(1)
    expect(await given.bench.isSignedIn(person)).toBe(false)
  })

  test('C12: and is dead at the check: the session continues until there was no response for twice the hours', async () => {
    await using given = await start()
    const { person } = await given.bench.signIn(given.provider, given.issuer)
    given.issuer.script.metadata = { issuer: 'https://other.example' }
    await given.recheck(15)
    expect(await given.bench.isSignedIn(person)).toBe(true)
    given.issuer.script.metadata = {}
    await given.recheck(0.1)
    given.issuer.script.metadata = { issuer: 'https://other.example' }
    await given.recheck(15)
    expect(await given.bench.isSignedIn(person)).toBe(true)
    await given.recheck(1)
    expect(await given.bench.isSignedIn(person)).toBe(false)
  })

  test('C12: and says at the check that the token is no longer valid: the person is out', async () => {
    await using given = await start()
    const { person } = await given.bench.signIn(given.provider, given.issuer)
    given.issuer.script.refresh = 'refused'
    await given.recheck(8)
    expect(await given.bench.isSignedIn(person)).toBe(false)
  })

  test('C12: and names another person at the check: nothing of that one is taken over', async () => {
    await using given = await start()
    const { person } = await given.bench.signIn(given.provider, given.issuer)
    given.issuer.script.claims = { sub: 'eve', groups: [] }
    await given.recheck(8)
    expect(await given.bench.me(person)).toMatchObject({ name: 'Ann' })
  })

  test.each([
    ['of another issuer', { iss: 'https://other.example' }],
    ['for another app', { aud: 'other' }],
    ['without the event', { events: {} }],
    ['with a nonce, as ID tokens have', { nonce: 'x' }],
    ['without an id', { jti: undefined }],
    ['without a person or a session', { sub: undefined }],
    ['of long ago', { iat: 1_700_000_000, exp: undefined }],
    ['that has expired', { exp: 1_700_000_000 }],
  ])('C12: a logout token %s ends nothing', async (_, claims) => {
    await using given = await start()
    const { person } = await given.bench.signIn(given.provider, given.issuer)
    expect(await given.logOut(claims)).toBe('sign-in.logout-refused')
    expect(await given.bench.isSignedIn(person)).toBe(true)
  })

  test('C12: a logout token that is unsigned, forged or used again ends nothing; a good one ends the session', async () => {
    await using given = await start()
    const { bench, issuer, provider, logOut } = given
    const { person } = await bench.signIn(provider, issuer)
    for (const algorithm of ['none', 'HS256'] as const) {
      issuer.script.algorithm = algorithm
      expect(await logOut({})).toBe('sign-in.logout-refused')
    }
    issuer.script.algorithm = 'RS256'
    expect(await logOut({}, (token) => `${token.slice(0, -6)}AAAAAA`)).toBe('sign-in.logout-refused')
    expect(await logOut({}, () => 'nothing')).toBe('sign-in.logout-refused')
    expect(await logOut({ sid: 'another' })).toBe('done')
    expect(await bench.isSignedIn(person)).toBe(true)
    await issuer.rotateKey()
    // Keys are not read again immediately, so that forged tokens don’t make many requests.
    given.server.clock.now += 3000
    expect(await logOut({ sid: 's1', jti: 'once' })).toBe('done')
    expect(await bench.isSignedIn(person)).toBe(false)
    const again = await bench.signIn(provider, issuer)
    expect(await logOut({ sid: 's1', jti: 'once' })).toBe('sign-in.logout-refused')
    expect(await bench.isSignedIn(again.person)).toBe(true)
    expect(await logOut({ sub: undefined, sid: 's1' })).toBe('done')
    expect(await bench.isSignedIn(again.person)).toBe(false)
  })
})

/** The issuer sends logout tokens over a socket; the server of the test has none. */
async function startBridge(server: () => TestApplication) {
  const statuses: number[] = []
  const http = createServer((incoming, outgoing) => {
    void (async () => {
      const pieces: Buffer[] = []
      for await (const piece of incoming as AsyncIterable<Buffer>) pieces.push(piece)
      const response = await server().call('POST', `/sign-in/${bridge.providerId}/logout`, {
        body: Buffer.concat(pieces).toString(),
        headers: { 'content-type': incoming.headers['content-type'] ?? '' },
      })
      statuses.push(response.status)
      outgoing.writeHead(response.status)
      outgoing.end()
    })()
  })
  await new Promise<void>((resolve) => {
    http.listen(0, '127.0.0.1', resolve)
  })
  const bridge = {
    providerId: '',
    statuses,
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      http.closeAllConnections()
      await new Promise((resolve) => {
        http.close(resolve)
      })
    },
  }
  return bridge
}
