import type { NewPasskeyRequest, Passkey, PasskeyAssertion, PasskeyRequest, Passkeys } from '@threadbox/protocol/public'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  cookieOf,
  makeTestApplication,
  ownerRequest,
  type TestApplication,
  type TestPerson,
} from '../../application.test-utils.ts'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'
import { tablesIn } from '../../tables.test-utils.ts'
import { addPasskey, type Deviation, newTestPasskey, type TestPasskey, withCookies } from './test-passkey.test-utils.ts'

type Refusal = { error?: { code: string } }
const stranger: TestPerson = { userId: '', headers: {} }

onBothDatabases((target) => {
  let server: TestApplication
  let owner: TestPerson
  let key: TestPasskey
  beforeEach(async () => {
    server = await makeTestApplication(await target())
    owner = await server.signUpOwner()
    key = newTestPasskey()
  })
  afterEach(() => server[Symbol.asyncDispose]())

  const send = (method: string, path: string, options: { person?: TestPerson; body?: unknown } = {}) =>
    server.call(method, `/api/v1${path}`, options)
  const codeOf = async (response: Response) =>
    response.status < 300 ? 'done' : ((await response.json()) as Refusal).error?.code
  const add = (person = owner, added = key, name = 'Laptop') => addPasskey(server, { person, key: added, name })
  const list = async (person = owner) =>
    ((await (await send('GET', '/passkeys', { person })).json()) as Passkeys).passkeys
  /** A browser in which the sign-in page is open. */
  async function signInPage(): Promise<{ browser: TestPerson; request: PasskeyRequest }> {
    const response = await send('POST', '/auth/passkey/request')
    return { browser: withCookies(stranger, response), request: (await response.json()) as PasskeyRequest }
  }
  const post = (assertion: PasskeyAssertion, browser: TestPerson) =>
    send('POST', '/auth/passkey', { person: browser, body: { assertion } })
  async function signIn(by: { with?: TestPasskey } & Deviation = {}): Promise<Response> {
    const { browser, request } = await signInPage()
    const { with: used = key, ...deviation } = by
    return await post(used.get(request, deviation), browser)
  }
  const signInCode = async (by: { with?: TestPasskey } & Deviation = {}) => codeOf(await signIn(by))
  const rows = async (action: string) =>
    await tablesIn(server.open).selectFrom('audit_events').selectAll().where('action', '=', action).execute()

  describe('signing in', () => {
    test('C12: with any of two passkeys starts the same session as a password, and its device is known then', async () => {
      const second = newTestPasskey({ counts: false })
      await add()
      await add(owner, second, 'Phone')
      for (const used of [key, second, key, second]) {
        const response = await signIn({ with: used })
        expect(response.status).toBe(200)
        expect(await response.clone().json()).toMatchObject({ id: owner.userId, email: ownerRequest().email })
        const cookies = response.headers.getSetCookie()
        expect(cookies.some((cookie) => /^threadbox-device-.*HttpOnly/.test(cookie))).toBe(true)
        expect(cookies.find((cookie) => cookie.startsWith('threadbox-test00='))).toMatch(
          /Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax; Priority=High$/,
        )
        const signedIn = { userId: owner.userId, headers: { cookie: cookieOf(response) } }
        expect((await send('GET', '/threads', { person: signedIn })).status).toBe(200)
        expect(await codeOf(await send('POST', '/auth/sign-out', { person: signedIn }))).toBe('done')
        expect((await send('GET', '/threads', { person: signedIn })).status).toBe(401)
      }
      const used = (await list()).map(({ name, lastUsedAt }) => [name, lastUsedAt])
      expect(used.toSorted()).toEqual([
        ['Laptop', server.clock.now],
        ['Phone', server.clock.now],
      ])
      expect(await rows('passkey-logged-in')).toHaveLength(4)
      expect(await server.areas.installation.metrics.text()).toContain(
        'threadbox_logins_total{way="passkey",outcome="accepted"} 4',
      )
    })

    test('C12: asks for a verified person, for no passkey in particular, and at exactly the host of the app', async () => {
      await add()
      const { request } = await signInPage()
      expect(request).toMatchObject({ rpId: 'localhost', userVerification: 'required', allowCredentials: [] })
    })

    const refusals: [string, Deviation, string][] = [
      ['for another origin', { origin: 'http://8501-x.test00.localhost' }, 'passkey.origin-wrong'],
      ['in a frame of another page', { crossOrigin: true }, 'passkey.origin-wrong'],
      ['for another relying party', { host: 'test00.localhost' }, 'passkey.host-wrong'],
      ['without verifying the person', { isVerified: false }, 'passkey.not-verified'],
      ['for another person', { userHandle: Buffer.from('u-other').toString('base64url') }, 'passkey.unknown'],
    ]
    test.each(refusals)('C12: is refused %s', async (_title, deviation, code) => {
      await add()
      expect(await signInCode(deviation)).toBe(code)
      const [row] = await rows('passkey-login-refused')
      expect(row?.json).toContain(code)
      expect(await signInCode()).toBe('done')
    })

    test('C12: is refused when a response is sent again, whether it succeeded or failed', async () => {
      await add()
      const { browser, request } = await signInPage()
      const assertion = key.get(request)
      expect(await codeOf(await post(assertion, browser))).toBe('done')
      expect(await codeOf(await post(assertion, browser))).toBe('passkey.challenge-expired')
      const other = await signInPage()
      expect(await codeOf(await post(key.get(other.request, { isVerified: false }), other.browser))).toBe(
        'passkey.not-verified',
      )
      expect(await codeOf(await post(key.get(other.request), other.browser))).toBe('passkey.challenge-expired')
    })

    test('C12: counts each response once, also if it is sent many times at the same time', async () => {
      await add()
      const { browser, request } = await signInPage()
      const assertion = key.get(request)
      const codes = await Promise.all(Array.from({ length: 8 }, async () => codeOf(await post(assertion, browser))))
      expect(codes.filter((code) => code === 'done')).toHaveLength(1)
    })

    test('C12: is refused and recorded when the counter goes back or stands still', async () => {
      const { id } = await add()
      expect(await signInCode({ counter: 5 })).toBe('done')
      for (const counter of [5, 4, 0]) expect(await signInCode({ counter })).toBe('passkey.counter-behind')
      const found = await rows('passkey-counter-behind')
      expect(found.map(({ subject }) => subject)).toEqual([id, id, id])
      expect(found[0]?.json).toContain('"known":5')
      expect(await signInCode({ counter: 6 })).toBe('done')
    })

    test('C12: a forged response with a low counter leaves no such record', async () => {
      await add()
      expect(await signInCode({ counter: 5 })).toBe('done')
      const forger = newTestPasskey()
      const { browser, request } = await signInPage()
      const forged = { ...forger.get(request, { counter: 1 }), id: key.credentialId, rawId: key.credentialId }
      expect(await codeOf(await post(forged, browser))).toBe('passkey.invalid')
      expect(await rows('passkey-counter-behind')).toEqual([])
    })

    test('C12: is refused with a passkey that was never added, or was removed', async () => {
      expect(await signInCode({ with: newTestPasskey() })).toBe('passkey.unknown')
      const { id } = await add()
      expect(await codeOf(await send('DELETE', `/passkeys/${id}`, { person: owner }))).toBe('done')
      expect(await signInCode()).toBe('passkey.unknown')
    })

    test('C12: is refused 5 minutes after the page was opened, and in another browser', async () => {
      await add()
      const { browser, request } = await signInPage()
      server.clock.now += 5 * 60_000
      expect(await codeOf(await post(key.get(request), browser))).toBe('passkey.challenge-expired')
      const [here, there] = [await signInPage(), await signInPage()]
      expect(await codeOf(await post(key.get(here.request), there.browser))).toBe('passkey.other-browser')
      expect(await codeOf(await post(key.get(there.request), stranger))).toBe('passkey.other-browser')
    })

    test('C12: works in each of two tabs of one browser', async () => {
      await add()
      const first = await signInPage()
      const response = await send('POST', '/auth/passkey/request', { person: first.browser })
      const second = (await response.json()) as PasskeyRequest
      const browser = withCookies(stranger, response)
      expect(await codeOf(await post(key.get(first.request), browser))).toBe('done')
      expect(await codeOf(await post(key.get(second), browser))).toBe('done')
    })

    test('C12: is refused for a disabled person, and only a request with their passkey gets that reason', async () => {
      const ben = await server.addPerson('ben')
      await add(ben)
      const disable = (isDisabled: boolean) =>
        send('PATCH', `/people/${ben.userId}`, { person: owner, body: { isDisabled } })
      expect(await codeOf(await disable(true))).toBe('done')
      expect(await signInCode({ isVerified: false })).toBe('passkey.not-verified')
      expect(await signInCode()).toBe('auth.account-disabled')
      expect(await codeOf(await disable(false))).toBe('done')
      expect(await signInCode()).toBe('done')
    })

    test('C12: refused responses of one network are limited', async () => {
      await add()
      for (let count = 0; count < 30; count += 1) await signInCode({ isVerified: false })
      expect(await signInCode({ isVerified: false })).toBe('auth.too-many-attempts')
      expect(await rows('passkey-login-refused')).toHaveLength(30)
    })

    test('C12: requests of one network are limited, and what has expired is removed', async () => {
      for (let count = 0; count < 300; count += 1)
        expect((await send('POST', '/auth/passkey/request')).status).toBe(200)
      expect(await codeOf(await send('POST', '/auth/passkey/request'))).toBe('auth.too-many-attempts')
      server.clock.now += 15 * 60_000
      for (let count = 0; count < 51; count += 1) await send('POST', '/auth/passkey/request')
      const left = await tablesIn(server.open).selectFrom('passkey_challenges').selectAll().execute()
      expect(left.length).toBeLessThanOrEqual(51)
    })
  })

  describe('an own passkey', () => {
    test('C12: is listed with when it was added and used, renamed, and removed', async () => {
      const added = await add()
      expect(added).toEqual({
        id: expect.any(String),
        name: 'Laptop',
        host: 'localhost',
        createdAt: server.clock.now,
        lastUsedAt: null,
      })
      const renamed = await send('PATCH', `/passkeys/${added.id}`, { person: owner, body: { name: ' Old laptop ' } })
      expect(await renamed.json()).toEqual({ ...added, name: 'Old laptop' })
      expect(await codeOf(await send('DELETE', `/passkeys/${added.id}`, { person: owner }))).toBe('done')
      expect(await list()).toEqual([])
      expect([(await rows('passkey-added')).length, (await rows('passkey-removed')).length]).toEqual([1, 1])
    })

    test('C12: is added and removed only after a confirmation, and listed without', async () => {
      const { id } = await add()
      server.clock.now += 11 * 60_000
      const needed = 'auth.confirmation-required'
      expect(await codeOf(await send('POST', '/passkeys/request', { person: owner }))).toBe(needed)
      expect(await codeOf(await send('DELETE', `/passkeys/${id}`, { person: owner }))).toBe(needed)
      expect(await list()).toHaveLength(1)
    })

    test('C12: is asked for as one that the device keeps, and not twice of the same device', async () => {
      await add()
      const response = await send('POST', '/passkeys/request', { person: owner })
      const request = (await response.json()) as NewPasskeyRequest
      expect(request).toMatchObject({
        rp: { id: 'localhost' },
        user: { id: Buffer.from(owner.userId).toString('base64url') },
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        attestation: 'none',
        excludeCredentials: [{ id: key.credentialId }],
      })
      const again = await send('POST', '/passkeys', {
        person: withCookies(owner, response),
        body: { name: 'Again', registration: key.create(request) },
      })
      expect(await codeOf(again)).toBe('passkey.already-added')
    })

    const refusals: [string, Deviation, string][] = [
      ['for another origin', { origin: 'https://app.example.org' }, 'passkey.origin-wrong'],
      ['for another relying party', { host: 'example.org' }, 'passkey.host-wrong'],
      ['without verifying the person', { isVerified: false }, 'passkey.not-verified'],
    ]
    test.each(refusals)('C12: isn’t added %s', async (_title, deviation, code) => {
      const response = await send('POST', '/passkeys/request', { person: owner })
      const registration = key.create((await response.json()) as NewPasskeyRequest, deviation)
      const body = { name: 'x', registration }
      const added = await send('POST', '/passkeys', { person: withCookies(owner, response), body })
      expect(await codeOf(added)).toBe(code)
      expect(await list()).toEqual([])
    })

    test('C12: is added whatever the browser states about the make of the device, which is not read', async () => {
      const response = await send('POST', '/passkeys/request', { person: owner })
      const attestation = { fmt: 'packed', attStmt: new Map([['x5c', 'no certificate']]) }
      const registration = key.create((await response.json()) as NewPasskeyRequest, { attestation })
      const body = { name: 'x', registration }
      expect(await codeOf(await send('POST', '/passkeys', { person: withCookies(owner, response), body }))).toBe('done')
      expect(await signInCode()).toBe('done')
    })

    test('C12: isn’t added with a request to sign in, nor with one of another person', async () => {
      const ben = await server.addPerson('ben')
      const { browser, request } = await signInPage()
      const rp = { id: request.rpId, name: '' }
      const make = async (challenge: string, person: TestPerson) =>
        codeOf(
          await send('POST', '/passkeys', {
            person,
            body: { name: 'x', registration: key.create({ challenge, rp }) },
          }),
        )
      const both = { ...owner, headers: { cookie: `${owner.headers.cookie}; ${browser.headers.cookie}` } }
      expect(await make(request.challenge, both)).toBe('passkey.challenge-expired')
      const asked = await send('POST', '/passkeys/request', { person: ben })
      const { challenge } = (await asked.json()) as NewPasskeyRequest
      expect(await make(challenge, withCookies(owner, asked))).toBe('passkey.challenge-expired')
    })

    test('C12: there can be 20, and no more', async () => {
      for (let count = 0; count < 20; count += 1) await add(owner, newTestPasskey())
      expect(await codeOf(await send('POST', '/passkeys/request', { person: owner }))).toBe('passkey.limit')
    })
  })

  describe('confirming', () => {
    async function confirm(used: TestPasskey, person = owner): Promise<string | undefined> {
      const response = await send('POST', '/auth/confirm/request', { person })
      const assertion = used.get((await response.json()) as PasskeyRequest)
      return codeOf(await send('POST', '/auth/confirm', { person: withCookies(person, response), body: { assertion } }))
    }
    const create = async () => codeOf(await send('POST', '/api-keys', { person: owner, body: { name: 'key' } }))

    test('C12: with a passkey allows what needs it, for 10 minutes', async () => {
      await add()
      server.clock.now += 11 * 60_000
      expect(await create()).toBe('auth.confirmation-required')
      expect(await confirm(key)).toBe('done')
      expect(await create()).toBe('done')
      server.clock.now += 11 * 60_000
      expect(await create()).toBe('auth.confirmation-required')
    })

    test('C12: is refused with another person’s passkey, with a request to sign in, and with both ways in one request', async () => {
      const ben = await server.addPerson('ben')
      const theirs = newTestPasskey()
      await add(ben, theirs)
      await add()
      server.clock.now += 11 * 60_000
      expect(await confirm(theirs)).toBe('passkey.unknown')
      const { browser, request } = await signInPage()
      const both = { ...owner, headers: { cookie: `${owner.headers.cookie}; ${browser.headers.cookie}` } }
      const assertion = key.get(request)
      const post = async (body: object) => codeOf(await send('POST', '/auth/confirm', { person: both, body }))
      expect(await post({ assertion })).toBe('passkey.challenge-expired')
      expect(await post({ assertion, password: ownerRequest().password })).toBe('request.invalid')
      expect(await post({})).toBe('request.invalid')
      expect(await create()).toBe('auth.confirmation-required')
      expect(await rows('confirmation-refused')).toHaveLength(2)
    })

    test('C12: names the person’s passkeys of this host', async () => {
      await add()
      await add(await server.addPerson('ben'), newTestPasskey())
      const response = await send('POST', '/auth/confirm/request', { person: owner })
      const { allowCredentials } = (await response.json()) as PasskeyRequest
      expect(allowCredentials).toEqual([{ id: key.credentialId, type: 'public-key', transports: ['usb'] }])
    })
  })

  describe('when the owner and admins must have one', () => {
    const setRequirement = (adminPasskeys: string) =>
      send('PATCH', '/settings', { person: owner, body: { settings: { adminPasskeys } } })

    test('C12: it can be required only by a person who has one', async () => {
      expect(await codeOf(await setRequirement('required'))).toBe('setting.own-passkey-missing')
      await add()
      expect(await codeOf(await setRequirement('required'))).toBe('done')
    })

    test('C12: an admin without one does only what members do, until they add one', async () => {
      await add()
      await setRequirement('required')
      const admin = await server.addPerson('ada')
      await send('PATCH', `/people/${admin.userId}`, { person: owner, body: { role: 'admin' } })
      const needs = async () =>
        ((await (await send('GET', '/me', { person: admin })).json()) as { needsPasskey: boolean }).needsPasskey
      const invite = async () => codeOf(await send('POST', '/invites', { person: admin, body: {} }))
      expect(await needs()).toBe(true)
      expect(await invite()).toBe('auth.passkey-required')
      const settings = await send('PATCH', '/settings', { person: admin, body: { settings: { sandboxCpus: 1 } } })
      expect(await codeOf(settings)).toBe('auth.passkey-required')
      expect(await codeOf(await send('POST', '/threads', { person: admin, body: {} }))).toBe('done')
      expect(await codeOf(await send('GET', '/secrets', { person: admin }))).toBe('done')
      const added: Passkey = await add(admin, newTestPasskey())
      expect([await needs(), await invite()]).toEqual([false, 'done'])
      await send('DELETE', `/passkeys/${added.id}`, { person: admin })
      expect(await invite()).toBe('auth.passkey-required')
    })
  })
}, 'migrated')
