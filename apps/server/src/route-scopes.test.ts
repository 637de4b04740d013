import { type Action, actions, defaultKeyScopes, keyScopes } from '@threadbox/domain'
import { defaultKeyScopes as publicDefaults, keyScopes as publicScopes } from '@threadbox/protocol/public'
import { startModelServer } from '@threadbox/testkit'
import { type HostStandIn, startHostStandIn } from '@threadbox/testkit/host-stand-in'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeTestApplication, ownerRequest, type TestApplication, type TestPerson } from './application.test-utils.ts'

type Operation = { 'x-threadbox-action': Action; security: Record<string, string[]>[] }

const host: HostStandIn = await startHostStandIn()
const server: TestApplication = await makeTestApplication({
  hostSocket: host.socketPath,
  environment: { ANTHROPIC_API_KEY: 'key-of-the-environment' },
})
const document = (await (await server.call('GET', '/api/v1/openapi.json')).json()) as {
  paths: Record<string, Record<string, Operation>>
}
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
)

let owner: TestPerson
const keys = new Map<string, Record<string, string>>()
beforeAll(async () => {
  owner = await server.signUpOwner()
  for (const scope of keyScopes) keys.set(scope, await makeKey({ name: scope, scopes: [scope] }))
  keys.set('all', await makeKey({ name: 'all', scopes: keyScopes }))
  // The sign-in itself is no confirmation anymore.
  server.clock.now += 60 * 60_000
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await host[Symbol.asyncDispose]()
})

async function makeKey(body: object): Promise<Record<string, string>> {
  const response = await server.call('POST', '/api/v1/api-keys', { body, person: owner })
  return { authorization: `Bearer ${((await response.json()) as { secret: string }).secret}` }
}

/** The code of the refusal before anything of the request was read; `passed` if the route itself responded. */
async function refusalOf(response: Response): Promise<string> {
  if (response.status !== 403) {
    await response.body?.cancel()
    return response.status === 401 || response.status === 500 ? `status ${response.status}` : 'passed'
  }
  const { error } = (await response.json()) as { error: { code: string } }
  return /^auth\.(scope-missing|session-required|confirmation-required)$/.test(error.code) ? error.code : 'passed'
}

/** A path that names nothing, so that what passes changes nothing. */
const filled = (path: string) => `/api/v1${path.replaceAll(/\{\w+\}/g, 'none')}`

async function send(route: { method: string; path: string }, headers: Record<string, string>): Promise<string> {
  const body = route.method === 'GET' || route.method === 'DELETE' ? {} : { body: '[]' }
  return await refusalOf(await server.call(route.method, filled(route.path), { ...body, headers }))
}

describe.each(operations)('$method $path', ({ method, path, operation }) => {
  const requirement = actions[operation['x-threadbox-action']]
  const isForPeople = requirement === 'session' || requirement === 'confirmed'

  test.runIf(requirement !== 'nothing')(
    'lets a key with one scope through only if it is the required one',
    async () => {
      for (const scope of [...keyScopes, 'all']) {
        const has = scope === requirement || scope === 'all'
        const expected = isForPeople ? 'auth.session-required' : has ? 'passed' : 'auth.scope-missing'
        const isPassedOver = expected === 'passed' && /events|socket/.test(path)
        if (!isPassedOver) expect(await send({ method, path }, keys.get(scope) ?? {}), scope).toBe(expected)
      }
    },
  )

  test.runIf(requirement === 'confirmed')('needs a session that was confirmed in the last ten minutes', async () => {
    await server.confirm(owner)
    expect(await send({ method, path }, owner.headers)).toBe('passed')
    server.clock.now += 10 * 60_000
    expect(await send({ method, path }, owner.headers)).toBe('auth.confirmation-required')
  })

  test('states in the document who can send it', () => {
    const senders = operation.security.flatMap((sender) => Object.keys(sender))
    const both = ['apiKey', 'session']
    expect(senders).toEqual(requirement === 'nothing' ? [] : isForPeople ? ['session'] : both)
  })
})

test('scopes and defaults are the same in the table of actions and in the API', () => {
  expect(publicScopes).toEqual(keyScopes)
  expect(publicDefaults).toEqual(defaultKeyScopes)
})

test('a key without a known scope isn’t created', async () => {
  await server.confirm(owner)
  for (const scopes of [[], ['everything'], ['read', ''], 'read', { read: true }]) {
    const response = await server.call('POST', '/api/v1/api-keys', { body: { name: 'k', scopes }, person: owner })
    expect({ scopes, status: response.status }).toEqual({ scopes, status: 400 })
  }
})

describe('the key from the environment', () => {
  test('is not sent to an address that a key, or a session without confirmation, enters', async () => {
    await using elsewhere = await startModelServer()
    await server.confirm(owner)
    const model = { provider: 'anthropic', model: 'claude-sonnet-4-5' }
    const connected = await server.call('POST', '/api/v1/models', { body: model, person: owner })
    const { id } = (await connected.json()) as { id: string }
    const attack = async (headers: Record<string, string>) => {
      const body = { baseUrl: elsewhere.baseUrls.anthropic }
      const moved = await server.call('PATCH', `/api/v1/models/${id}`, { body, headers })
      const tested = await server.call('POST', `/api/v1/models/${id}/test`, { headers })
      return [await refusalOf(moved), await refusalOf(tested)]
    }
    expect(await attack(keys.get('all') ?? {})).toEqual(['auth.session-required', 'auth.session-required'])
    server.clock.now += 10 * 60_000
    expect(await attack(owner.headers)).toEqual(['auth.confirmation-required', 'auth.confirmation-required'])
    await server.confirm(owner)
    const moved = await server.call('PATCH', `/api/v1/models/${id}`, {
      body: { baseUrl: elsewhere.baseUrls.anthropic },
      person: owner,
    })
    expect(((await moved.json()) as { error: { code: string } }).error.code).toBe('model.key-not-for-address')
    expect(elsewhere.requests).toEqual([])
  })
})

describe('entering the password again', () => {
  test('counts for ten minutes, and a wrong password for nothing', async () => {
    server.clock.now += 20 * 60_000
    const confirm = (password: string) =>
      server.call('POST', '/api/v1/auth/confirm', { body: { password }, person: owner })
    const create = () => server.call('POST', '/api/v1/api-keys', { body: { name: 'new' }, person: owner })
    expect(((await (await confirm('wrong')).json()) as { error: { code: string } }).error.code).toBe(
      'auth.password-wrong',
    )
    expect(await refusalOf(await create())).toBe('auth.confirmation-required')
    expect((await confirm(ownerRequest().password)).status).toBe(204)
    expect((await create()).status).toBe(201)
    server.clock.now += 10 * 60_000
    expect(await refusalOf(await create())).toBe('auth.confirmation-required')
  })
})

test('the owner sees the calls that a key was refused, with what they require', async () => {
  await server.confirm(owner)
  const headers = await makeKey({ name: 'reader', scopes: ['read'] })
  for (const path of ['/api/v1/audit', '/api/v1/audit', '/api/v1/api-keys']) await server.call('GET', path, { headers })
  const refused = async () => {
    const response = await server.call('GET', '/api/v1/api-keys', { person: owner })
    const { apiKeys } = (await response.json()) as { apiKeys: { name: string; refused: unknown[] }[] }
    return apiKeys.find(({ name }) => name === 'reader')?.refused
  }
  expect(await refused()).toEqual([
    { action: 'audit.read', requirement: 'audit', count: 2 },
    { action: 'keys.list', requirement: 'session', count: 1 },
  ])
  server.clock.now += 31 * 24 * 3600 * 1000
  await server.confirm(owner)
  expect(await refused()).toEqual([])
})
