import type { CreatedInvite, Identities } from '@threadbox/protocol/public'
import { type ScriptedIssuer, startScriptedIssuer } from '@threadbox/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'
import { tablesIn } from '../../tables.test-utils.ts'
import { makeOidcBench } from './oidc.test-utils.ts'

const group = { person: { sub: 'ann', name: 'Ann', email: 'ann@example.com', email_verified: true, groups: ['all'] } }

let server: TestApplication
let owner: TestPerson
let issuer: ScriptedIssuer
let bench: ReturnType<typeof makeOidcBench>
let provider: { id: string }
beforeEach(async () => {
  server = await makeTestApplication()
  owner = await server.signUpOwner()
  issuer = await startScriptedIssuer()
  issuer.person = group.person
  bench = makeOidcBench(server, owner)
  provider = await bench.addProvider(issuer)
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
  await issuer[Symbol.asyncDispose]()
})

const codeNow = async () => (await bench.signIn(provider, issuer)).code
const peopleCount = async () => (await tablesIn(server.open).selectFrom('users').select('id').execute()).length

describe('a response of the issuer', () => {
  test.each([
    ['with a nonce of another sign-in', { nonce: 'another' }, 'sign-in.nonce-wrong'],
    ['without a nonce', { nonce: undefined }, 'sign-in.token-invalid'],
    ['of another issuer', { iss: 'https://other.example' }, 'sign-in.issuer-wrong'],
    ['for another app', { aud: 'other' }, 'sign-in.audience-wrong'],
    ['for another app too', { aud: ['threadbox', 'other'] }, 'sign-in.audience-wrong'],
    ['that has expired', { exp: 1_700_000_000 }, 'sign-in.token-expired'],
    ['without a subject', { sub: undefined }, 'sign-in.token-invalid'],
  ])('C12: %s is refused', async (_, claims, code) => {
    issuer.script.claims = claims
    expect(await codeNow()).toBe(code)
    expect(await peopleCount()).toBe(1)
  })

  test.each(['none', 'HS256'] as const)('C12: signed with %s is refused, also if the issuer lists it', async (name) => {
    issuer.script.algorithm = name
    expect(await codeNow()).toBe('sign-in.algorithm-refused')
    issuer.script.metadata = { id_token_signing_alg_values_supported: [name, 'RS256'] }
    expect(await codeNow()).toBe('sign-in.algorithm-refused')
  })

  test('C12: signed with a key that the issuer doesn’t publish is refused', async () => {
    issuer.script.isForged = true
    expect(await codeNow()).toBe('sign-in.signature-wrong')
  })

  test('C12: whose iss names another issuer is refused before the code is sent anywhere', async () => {
    issuer.script.responseIssuer = 'https://other.example'
    expect(await codeNow()).toBe('sign-in.issuer-wrong')
  })

  test('C12: at the address of another provider is refused', async () => {
    const other = await startScriptedIssuer()
    const otherProvider = await bench.addProvider(other)
    const { url, cookie } = await bench.start({ providerId: provider.id })
    const back = await issuer.visit(url)
    back.pathname = back.pathname.replace(provider.id, otherProvider.id)
    expect((await bench.comeBack(back, cookie)).code).toBe('sign-in.issuer-wrong')
    await other[Symbol.asyncDispose]()
  })

  test('C12: is accepted while the clocks are 60 seconds apart, and after a change of the key', async () => {
    for (const aheadSeconds of [60, -60]) {
      issuer.script.aheadSeconds = aheadSeconds
      expect(await codeNow()).toBe('done')
    }
    await issuer.rotateKey()
    expect(await codeNow()).toBe('done')
  })

  test('C12: is refused when the clocks are an hour apart', async () => {
    issuer.script.aheadSeconds = -3600
    expect(await codeNow()).toBe('sign-in.token-expired')
  })
})

describe('an issuer', () => {
  test.each(['/token', '/jwks', '/userinfo'] as const)('C12: whose %s is 50 MB large is cut off', async (path) => {
    issuer.script.huge.add(path)
    expect(await codeNow()).toBe('sign-in.answer-too-large')
  })

  test('C12: that is dead, not an issuer, or another one is refused with what is wrong', async () => {
    issuer.script.metadata = { issuer: 'https://other.example' }
    expect(await codeNow()).toBe('sign-in.issuer-wrong')
    issuer.script.metadata = { token_endpoint: undefined }
    expect(await codeNow()).toBe('sign-in.provider-invalid')
    issuer.script.huge.add('/.well-known/openid-configuration')
    expect(await codeNow()).toBe('sign-in.answer-too-large')
    await issuer[Symbol.asyncDispose]()
    expect(await codeNow()).toBe('sign-in.provider-unreachable')
  })

  test('C12: that doesn’t accept the client secret is refused', async () => {
    issuer.client.secret = 'another'
    expect(await codeNow()).toBe('sign-in.client-refused')
  })

  test('C12: whose token address is in a private network is refused', async () => {
    issuer.script.metadata = { token_endpoint: 'https://10.1.2.3/token' }
    expect(await codeNow()).toBe('sign-in.address-refused')
    const inside = await bench.addProvider({ ...issuer, url: 'https://192.168.1.1' })
    expect((await bench.start({ providerId: inside.id })).code).toBe('sign-in.address-refused')
    const plain = await bench.addProvider({ ...issuer, url: 'http://issuer.example' })
    expect((await bench.start({ providerId: plain.id })).code).toBe('sign-in.address-refused')
  })
})

test('C12: an issuer that is slow is refused after the timeout', async () => {
  const connectionSettings = { ...(await slowSettings()), connectionSeconds: 1 }
  await using slow = await makeTestApplication({ connectionSettings })
  const slowBench = makeOidcBench(slow, await slow.signUpOwner())
  const added = await slowBench.addProvider(issuer)
  issuer.script.silent.add('/token')
  expect((await slowBench.signIn(added, issuer)).code).toBe('sign-in.provider-slow')
})

async function slowSettings() {
  const { readSettings, serverSettings } = await import('@threadbox/config')
  return { ...readSettings(serverSettings, {}), connectionsAllow: '127.0.0.0/8' }
}

describe('a sign-in', () => {
  test('C12: works once, within ten minutes, and in the browser that started it', async () => {
    const first = await bench.start({ providerId: provider.id })
    const back = await issuer.visit(first.url)
    const other = await bench.start({ providerId: provider.id })
    expect((await bench.comeBack(back, other.cookie)).code).toBe('sign-in.state-foreign')
    expect((await bench.comeBack(back, '')).code).toBe('sign-in.state-foreign')
    expect((await bench.comeBack(back, first.cookie)).code).toBe('done')
    expect((await bench.comeBack(back, first.cookie)).code).toBe('sign-in.state-unknown')
    const late = await issuer.visit(other.url)
    server.clock.now += 10 * 60_000
    expect((await bench.comeBack(late, other.cookie)).code).toBe('sign-in.state-unknown')
    late.searchParams.set('state', 'made-up')
    expect((await bench.comeBack(late, other.cookie)).code).toBe('sign-in.state-unknown')
  })

  test('C12: that was started elsewhere can’t be finished in this browser (a forged request)', async () => {
    const attacker = await bench.start({ providerId: provider.id })
    const back = await issuer.visit(attacker.url)
    const victim = await bench.comeBack(back, 'threadbox-login-test00=guessed')
    expect(victim.code).toBe('sign-in.state-foreign')
    expect(await bench.isSignedIn(victim.person)).toBe(false)
    const foreign = { origin: 'https://evil.example', cookie: 'x=1' }
    const response = await server.call('POST', '/api/v1/auth/providers/start', {
      body: { providerId: provider.id },
      headers: foreign,
    })
    expect(response.status).toBe(403)
  })

  test('C12: creates a new session, whatever the browser sent (session fixation)', async () => {
    const { url, cookie } = await bench.start({ providerId: provider.id })
    const planted = `threadbox-test00=planted.signature; ${owner.headers.cookie}; ${cookie}`
    const { person } = await bench.comeBack(await issuer.visit(url), planted)
    expect(person.headers.cookie).not.toContain('planted')
    expect(person.userId).not.toBe(owner.userId)
    expect((await bench.me(owner)).role).toBe('owner')
  })

  test.each(['https://evil.example/', '//evil.example', '/\\evil.example', 'javascript:alert(1)', '\\\\evil', 'a'])(
    'C12: never ends at %s',
    async (returnTo) => {
      expect((await bench.start({ providerId: provider.id, returnTo })).code).toBe('sign-in.return-refused')
    },
  )

  test('C12: ends at the page that was wanted', async () => {
    const { url, cookie } = await bench.start({ providerId: provider.id, returnTo: '/threads/t1?a=b#c' })
    expect((await bench.comeBack(await issuer.visit(url), cookie)).location).toBe('/threads/t1?a=b#c')
  })

  test('C12: that the issuer declines is shown with a code, never with the issuer’s own words', async () => {
    const { url, cookie } = await bench.start({ providerId: provider.id })
    const back = await issuer.visit(url)
    for (const name of ['code', 'iss']) back.searchParams.delete(name)
    back.searchParams.set('error', 'access_denied')
    back.searchParams.set('error_description', 'Call 555-0100')
    expect((await bench.comeBack(back, cookie)).location).toBe('/login?problem=sign-in.declined')
    const explained = await (await bench.send('GET', '/auth/providers?problem=sign-in.declined')).json()
    expect(explained).toMatchObject({ providers: [{ name: 'Company' }], problem: { code: 'sign-in.declined' } })
    expect(await (await bench.send('GET', '/auth/providers?problem=<b>')).json()).toMatchObject({ problem: null })
  })

  test('C12: at an unknown provider is refused', async () => {
    expect((await bench.start({ providerId: 'unknown' })).code).toBe('sign-in.provider-not-found')
    const back = new URL('http://localhost/sign-in/unknown/callback?state=x&code=y')
    expect((await bench.comeBack(back, '')).code).toBe('sign-in.provider-not-found')
  })

  test('C12: of a disabled person is refused', async () => {
    const { person } = await bench.signIn(provider, issuer)
    await bench.as(owner, 'PATCH', `/people/${person.userId}`, { isDisabled: true })
    expect(await bench.isSignedIn(person)).toBe(false)
    expect(await codeNow()).toBe('auth.account-disabled')
  })
})

describe('who can join', () => {
  const set = (change: object) => bench.as(owner, 'PATCH', `/sign-in-providers/${provider.id}`, change)
  const rule = (name: string, more: object = {}) => set({ join: { rule: name, domains: [], group: null, ...more } })

  test('C12: by a rule: none, people with an invite, of a domain, or of a group', async () => {
    await rule('closed')
    expect(await codeNow()).toBe('sign-in.closed')
    await rule('invited')
    expect(await codeNow()).toBe('sign-in.invite-needed')
    await rule('domains', { domains: ['other.example'] })
    expect(await codeNow()).toBe('sign-in.domain-refused')
    issuer.person = { ...group.person, email: 'ann@sub.other.example' }
    expect(await codeNow()).toBe('sign-in.domain-refused')
    issuer.person = { ...group.person, email: 'ann@other.example', email_verified: false }
    expect(await codeNow()).toBe('sign-in.email-unverified')
    issuer.person = { ...group.person, email: 'ann@other.example' }
    expect(await codeNow()).toBe('done')
    issuer.person = { ...group.person, sub: 'ben', groups: ['some'] }
    await rule('group', { group: 'all' })
    expect(await codeNow()).toBe('sign-in.group-missing')
    issuer.person = { sub: 'cyd', groups: 'all' }
    expect(await codeNow()).toBe('sign-in.email-missing')
  })

  test('C12: another account’s address never signs in to it, unless the owner allows verified ones of members', async () => {
    const ann = await server.addPerson('ann')
    expect(await codeNow()).toBe('sign-in.email-taken')
    await set({ linkByVerifiedEmail: true })
    issuer.person = { ...group.person, email_verified: false }
    expect(await codeNow()).toBe('sign-in.email-unverified')
    issuer.person = { ...group.person, email: 'owner@example.com' }
    expect(await codeNow()).toBe('sign-in.account-protected')
    issuer.person = group.person
    const arrival = await bench.signIn(provider, issuer)
    expect(arrival.person.userId).toBe(ann.userId)
    // From now on by the subject: a change of the address changes nothing.
    issuer.person = { ...group.person, email: 'else@example.com' }
    expect((await bench.signIn(provider, issuer)).person.userId).toBe(ann.userId)
  })

  test('C12: more groups than fit, and a claim that is no list of texts, are refused with their code', async () => {
    issuer.person = { ...group.person, groups: undefined, _claim_names: { groups: 'src1' } }
    expect(await codeNow()).toBe('sign-in.groups-overage')
    for (const groups of [1, { all: true }, ['all', 1], [['all']]]) {
      issuer.person = { ...group.person, groups }
      expect(await codeNow()).toBe('sign-in.groups-unreadable')
    }
    issuer.person = { ...group.person, groups: Array.from({ length: 10_000 }, (_, index) => `g${index}`).concat('all') }
    expect(await codeNow()).toBe('done')
  })

  test('C12: an invite that was opened in the browser lets its person join, once, with what it says', async () => {
    await rule('invited')
    const invite = await bench.as<CreatedInvite>(owner, 'POST', '/invites', { role: 'admin', email: 'ann@example.com' })
    const secret = invite.path.split('#')[1] ?? ''
    issuer.person = { ...group.person, sub: 'eve', email: 'eve@example.com' }
    expect((await bench.signIn(provider, issuer, { secret })).code).toBe('invite.for-other')
    issuer.person = group.person
    const { person } = await bench.signIn(provider, issuer, { secret })
    expect(await bench.me(person)).toMatchObject({ role: 'admin', name: 'Ann', email: 'ann@example.com' })
    issuer.person = { ...group.person, sub: 'ben', email: 'ben@example.com' }
    expect((await bench.signIn(provider, issuer, { secret })).code).toBe('invite.invalid')
  })

  test('C12: a link for a new password connects the provider to the account of its person', async () => {
    const ben = await server.addPerson('ben')
    const { path } = await bench.as<{ path: string }>(owner, 'POST', `/people/${ben.userId}/reset-link`)
    const { person } = await bench.signIn(provider, issuer, { secret: path.split('#')[1] ?? '' })
    expect(person.userId).toBe(ben.userId)
  })
})

type Refusal = { error?: { code: string } }

describe('the account of a person', () => {
  const visitFor = async (person: TestPerson, route: string) => {
    const body = { providerId: provider.id, returnTo: '/settings' }
    const response = await bench.send('POST', route, { person, body })
    const { url } = (await response.json()) as { url: string }
    const cookie = response.headers.getSetCookie().map((value) => value.split(';')[0])
    return { url, ...(await bench.comeBack(await issuer.visit(url), cookie.join('; '))) }
  }
  const connect = async (person: TestPerson) => {
    await server.confirm(person)
    return await visitFor(person, '/auth/identities')
  }
  const own = (person: TestPerson) => bench.as<Identities>(person, 'GET', '/auth/identities')

  test('C12: is connected by its person, and to one person only', async () => {
    const ben = await server.addPerson('ben')
    expect(await connect(ben)).toMatchObject({ code: 'done', location: '/settings' })
    expect(await own(ben)).toMatchObject({ identities: [{ providerName: 'Company' }], hasPassword: true })
    expect((await bench.signIn(provider, issuer)).person.userId).toBe(ben.userId)
    const eve = await server.addPerson('eve')
    expect((await connect(eve)).location).toBe('/settings?problem=sign-in.identity-taken')
  })

  test('C12: is disconnected with the sessions that it started, but not if it is the only way in', async () => {
    const ben = await server.addPerson('ben')
    await connect(ben)
    const { person } = await bench.signIn(provider, issuer)
    const id = (await own(ben)).identities[0]?.id
    expect(await bench.codeOf(ben, 'DELETE', `/auth/identities/${id}`)).toBe('done')
    expect([await bench.isSignedIn(person), await bench.isSignedIn(ben)]).toEqual([false, true])
    const ann = await bench.signIn(provider, issuer)
    const only = (await own(ann.person)).identities[0]?.id
    expect(await bench.codeOf(ann.person, 'DELETE', `/auth/identities/${only}`)).toBe('sign-in.last-way')
    expect(await bench.codeOf(ben, 'DELETE', `/auth/identities/${only}`)).toBe('sign-in.identity-not-found')
  })

  test('C12: confirms a sensitive action by signing in at the provider again, with the connected account only', async () => {
    const ben = await server.addPerson('ben')
    await connect(ben)
    const laterSeconds = 11 * 60
    server.clock.now += laterSeconds * 1000
    issuer.script.aheadSeconds = laterSeconds
    const makeKey = async () => {
      const body = { name: 'Key', scopes: ['read'] }
      const answer = (await (await bench.send('POST', '/api-keys', { person: ben, body })).json()) as Refusal
      return answer.error?.code ?? 'done'
    }
    const confirm = async (authTime: number | undefined) => {
      issuer.script.claims = { auth_time: authTime }
      return await visitFor(ben, '/auth/confirm/provider')
    }
    const seconds = Math.floor(Date.now() / 1000) + laterSeconds
    for (const [authTime, code] of [
      [undefined, 'sign-in.token-invalid'],
      [seconds - 3600, 'sign-in.token-expired'],
    ] as const) {
      expect((await confirm(authTime)).location).toBe(`/settings/you?problem=${code}`)
      expect(await makeKey()).toBe('auth.confirmation-required')
    }
    const { sub } = issuer.person
    issuer.person = { ...issuer.person, sub: 'someone-else' }
    expect((await confirm(seconds)).location).toBe('/settings/you?problem=sign-in.identity-other')
    expect(await makeKey()).toBe('auth.confirmation-required')
    issuer.person = { ...issuer.person, sub }
    const confirmed = await confirm(seconds)
    expect(new URL(confirmed.url).searchParams.get('max_age')).toBe('0')
    expect(confirmed.location).toBe('/settings')
    expect(await makeKey()).toBe('done')
  })

  test('C12: without a password gets one with a link, and then has two ways in', async () => {
    const ann = await bench.signIn(provider, issuer)
    const { path } = await bench.as<{ path: string }>(owner, 'POST', `/people/${ann.person.userId}/reset-link`)
    const body = { secret: path.split('#')[1], password: 'correct horse battery' }
    expect((await bench.send('POST', '/auth/reset', { body })).status).toBe(200)
    const signIn = { email: 'ann@example.com', password: 'correct horse battery' }
    expect((await bench.send('POST', '/auth/sign-in', { body: signIn })).status).toBe(200)
  })
})
