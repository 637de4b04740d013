import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { cookieOf, makeTestApplication, ownerRequest, type TestApplication } from '../../application.test-utils.ts'
import { tablesIn } from '../../tables.test-utils.ts'

let server: TestApplication
beforeEach(async () => {
  server = await makeTestApplication()
})
afterEach(() => server[Symbol.asyncDispose]())

async function codeOf(response: Response): Promise<string> {
  return ((await response.json()) as { error: { code: string } }).error.code
}

describe('sign-up', () => {
  test('is refused with a wrong token, and creates no user', async () => {
    const response = await server.call('POST', '/api/v1/auth/sign-up', { body: { ...ownerRequest(), token: 'guess' } })
    expect(response.status).toBe(403)
    expect(await codeOf(response)).toBe('auth.owner-token-wrong')
    expect(await (await server.call('GET', '/api/v1/setup')).json()).toMatchObject({ ownerExists: false })
  })

  test('makes the first user the owner, signs them in and consumes the token', async () => {
    const owner = await server.signUpOwner()
    const me = await server.call('GET', '/api/v1/me', { person: owner })
    expect(await me.json()).toEqual({
      id: owner.userId,
      name: 'Owner',
      email: 'owner@example.com',
      isOwner: true,
      needsPasskey: false,
      role: 'owner',
    })
    await expect(stat(join(server.directory, 'owner-token'))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test('is closed after the first user, also with the right token', async () => {
    await server.signUpOwner()
    const again = { ...ownerRequest(), email: 'second@example.com' }
    const response = await server.call('POST', '/api/v1/auth/sign-up', { body: again })
    expect(await codeOf(response)).toBe('auth.sign-up-closed')
  })

  test('lets one of two simultaneous sign-ups through and leaves no trace of the other', async () => {
    const requests = ['one', 'two'].map((name) =>
      server.call('POST', '/api/v1/auth/sign-up', { body: { ...ownerRequest(), email: `${name}@example.com` } }),
    )
    const statuses = (await Promise.all(requests)).map((response) => response.status).sort()
    expect(statuses).toEqual([201, 403])
    const users = await tablesIn(server.open).selectFrom('users').select('id').execute()
    expect(users).toHaveLength(1)
  })
})

describe('signing in', () => {
  test('O12: the session is found beside cookies of its name that a preview planted, and signing out ends it', async () => {
    const owner = await server.signUpOwner()
    const name = owner.headers.cookie?.split('=')[0]
    const headers = { cookie: `${name}=planted; ${owner.headers.cookie}; ${name}=planted.too` }
    expect((await server.call('GET', '/api/v1/me', { headers })).status).toBe(200)
    expect((await server.call('POST', '/api/v1/auth/sign-out', { headers })).status).toBe(204)
    expect((await server.call('GET', '/api/v1/me', { person: owner })).status).toBe(401)
  })

  test('O12: any number of planted cookies before it does not hide the session', async () => {
    const owner = await server.signUpOwner()
    const name = owner.headers.cookie?.split('=')[0]
    const planted = Array.from({ length: 180 }, (_, number) => `${name}=planted-${number}.c2lnbmF0dXJl`)
    const headers = { cookie: [...planted, owner.headers.cookie, ...planted].join('; ') }
    expect((await server.call('GET', '/api/v1/me', { headers })).status).toBe(200)
    const broken = { cookie: `${name}=%E0%A4%A; ${name}=; ${name}=.; ${owner.headers.cookie}` }
    expect((await server.call('GET', '/api/v1/me', { headers: broken })).status).toBe(200)
  })

  test('refuses a wrong password and an unknown e-mail with the same error', async () => {
    await server.signUpOwner()
    const wrong = { email: 'owner@example.com', password: 'not the password' }
    const unknown = { email: 'nobody@example.com', password: 'not the password' }
    const answers = await Promise.all(
      [wrong, unknown].map(async (body) => {
        const { error } = (await (await server.call('POST', '/api/v1/auth/sign-in', { body })).json()) as {
          error: { requestId: string }
        }
        return { ...error, requestId: '' }
      }),
    )
    expect(answers[0]).toEqual(answers[1])
    expect(answers[0]).toMatchObject({ code: 'auth.credentials-wrong', kind: 'unauthenticated' })
  })

  test('is blocked after ten attempts and allowed again 15 minutes later', async () => {
    await server.signUpOwner()
    const body = { email: 'owner@example.com', password: 'not the password' }
    for (let attempt = 0; attempt < 10; attempt += 1) await server.call('POST', '/api/v1/auth/sign-in', { body })
    const right = { email: 'owner@example.com', password: ownerRequest().password }
    const refused = await server.call('POST', '/api/v1/auth/sign-in', { body: right })
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    server.clock.now += 15 * 60_000
    expect((await server.call('POST', '/api/v1/auth/sign-in', { body: right })).status).toBe(200)
  })

  test('sets a cookie that names the installation, and signing out ends it', async () => {
    await server.signUpOwner()
    const body = { email: 'owner@example.com', password: ownerRequest().password }
    const response = await server.call('POST', '/api/v1/auth/sign-in', { body })
    const [cookie] = response.headers.getSetCookie()
    expect(cookie).toMatch(/^threadbox-test00=.*HttpOnly.*SameSite=Lax/)
    const person = { userId: '', headers: { cookie: cookieOf(response) } }
    expect((await server.call('POST', '/api/v1/auth/sign-out', { person })).status).toBe(204)
    expect(await codeOf(await server.call('GET', '/api/v1/me', { person }))).toBe('auth.required')
  })

  test('uses a Secure __Host- cookie when users reach the app over TLS', async () => {
    const hosts = { installation: 'test00', baseDomain: '', allowedHosts: '', listenHost: '127.0.0.1' }
    await using secure = await makeTestApplication({ hosts: { ...hosts, publicUrl: 'https://box.example.com' } })
    const headers = { host: 'box.example.com', origin: 'https://box.example.com' }
    const response = await secure.call('POST', '/api/v1/auth/sign-up', { body: ownerRequest(), headers })
    expect(response.headers.getSetCookie()[0]).toMatch(/^__Host-threadbox-test00=.*; Path=\/; HttpOnly; Secure/)
    expect(response.headers.get('strict-transport-security')).toContain('max-age=')
  })

  test('ends one of several sessions, and never another user’s', async () => {
    const owner = await server.signUpOwner()
    const other = await server.addPerson('other')
    const listed = await server.call('GET', '/api/v1/auth/sessions', { person: other })
    const { sessions } = (await listed.json()) as { sessions: { id: string; isCurrent: boolean }[] }
    expect(sessions).toMatchObject([{ isCurrent: true }])
    const path = `/api/v1/auth/sessions/${sessions[0]?.id}`
    expect(await codeOf(await server.call('DELETE', path, { person: owner }))).toBe('session.not-found')
    expect((await server.call('DELETE', path, { person: other })).status).toBe(204)
    expect((await server.call('GET', '/api/v1/me', { person: other })).status).toBe(401)
  })

  test('ends every other session when the password changes', async () => {
    const owner = await server.signUpOwner()
    const body = { email: 'owner@example.com', password: ownerRequest().password }
    const second = cookieOf(await server.call('POST', '/api/v1/auth/sign-in', { body }))
    const change = { currentPassword: ownerRequest().password, newPassword: 'another long password' }
    const changed = await server.call('POST', '/api/v1/auth/password', { body: change, person: owner })
    expect(changed.status).toBe(204)
    expect((await server.call('GET', '/api/v1/me', { headers: { cookie: second } })).status).toBe(401)
    expect((await server.call('GET', '/api/v1/me', { headers: { cookie: cookieOf(changed) } })).status).toBe(200)
  })
})

describe('API keys', () => {
  test('work until they are deleted or expire, are stored only as a hash, and cannot create keys', async () => {
    const person = await server.signUpOwner()
    const body = { name: 'script', expiresInDays: 1 }
    const created = await server.call('POST', '/api/v1/api-keys', { body, person })
    const { id, secret, prefix } = (await created.json()) as { id: string; secret: string; prefix: string }
    expect(secret.startsWith(prefix)).toBe(true)
    const headers = { authorization: `Bearer ${secret}` }
    expect((await server.call('GET', '/api/v1/me', { headers })).status).toBe(200)
    expect(JSON.stringify(await tablesIn(server.open).selectFrom('api_keys').selectAll().execute())).not.toContain(
      secret,
    )
    const another = await server.call('POST', '/api/v1/api-keys', { body, headers })
    expect(await codeOf(another)).toBe('auth.session-required')
    server.clock.now += 24 * 3600 * 1000
    expect(await codeOf(await server.call('GET', '/api/v1/me', { headers }))).toBe('auth.required')
    await server.confirm(person)
    expect((await server.call('DELETE', `/api/v1/api-keys/${id}`, { person })).status).toBe(204)
  })

  test('need no origin, because no other page can send them', async () => {
    const person = await server.signUpOwner()
    const created = await server.call('POST', '/api/v1/api-keys', { body: { name: 'script' }, person })
    const { secret } = (await created.json()) as { secret: string }
    const response = await server.app.request('http://localhost/api/v1/threads', {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: '{}',
    })
    expect(response.status).toBe(201)
  })
})

describe('clearing cookies', () => {
  const clear = (person: { headers: { cookie?: string } }) =>
    server.call('POST', '/api/v1/auth/cookies/clear', { headers: person.headers })
  const restore = (token: string) => server.call('POST', '/api/v1/auth/cookies/restore', { body: { token } })

  test('O12: removes all cookies of the site, and gives the browser its session and device back once', async () => {
    const owner = await server.signUpOwner()
    const signIn = await server.call('POST', '/api/v1/auth/sign-in', {
      body: { email: ownerRequest().email, password: ownerRequest().password },
    })
    const own = signIn.headers.getSetCookie().map((cookie) => cookie.split(';')[0])
    expect(own).toHaveLength(2)
    const cleared = await clear({ headers: { cookie: ['other=cookie', ...own].join('; ') } })
    expect(cleared.headers.get('clear-site-data')).toBe('"cookies"')
    const { restoreToken } = (await cleared.json()) as { restoreToken: string }
    const restored = await restore(restoreToken)
    expect(restored.status).toBe(204)
    expect(restored.headers.getSetCookie()).toEqual(signIn.headers.getSetCookie())
    const again = await restore(restoreToken)
    expect([again.status, await codeOf(again), again.headers.getSetCookie()]).toEqual([401, 'auth.required', []])
    expect((await server.call('GET', '/api/v1/me', { person: owner })).status).toBe(200)
  })

  test('O12: the token is valid for a minute', async () => {
    const owner = await server.signUpOwner()
    const { restoreToken } = (await (await clear(owner)).json()) as { restoreToken: string }
    server.clock.now += 60_001
    expect((await restore(restoreToken)).status).toBe(401)
  })
})

test('O12: the cookies of sign-in ask the browser to keep them when pages plant others', async () => {
  await server.signUpOwner()
  const signIn = await server.call('POST', '/api/v1/auth/sign-in', {
    body: { email: ownerRequest().email, password: ownerRequest().password },
  })
  for (const cookie of signIn.headers.getSetCookie()) expect(cookie).toMatch(/; Priority=High$/)
})
