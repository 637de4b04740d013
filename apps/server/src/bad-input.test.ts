import { keyScopes } from '@threadbox/domain'
import { type HostStandIn, startHostStandIn } from '@threadbox/testkit/host-stand-in'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeTestApplication, type TestApplication, type TestPerson } from './application.test-utils.ts'
import { type BadRequest, badRequestsFor, type Operation } from './bad-input.classes.test-utils.ts'
import { type Ids, makeIds } from './bad-input.ids.test-utils.ts'
import type { BadInputRow } from './bad-input.row.test-utils.ts'
import { badInputRows } from './bad-input.rows.test-utils.ts'
import { tablesIn } from './tables.test-utils.ts'

const host: HostStandIn = await startHostStandIn()
const server: TestApplication = await makeTestApplication({ hostSocket: host.socketPath })
const document = (await (await server.call('GET', '/api/v1/openapi.json')).json()) as {
  paths: Record<string, Record<string, Operation>>
}
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ route: `${method.toUpperCase()} ${path}`, operation })),
)

let owner: TestPerson
let other: TestPerson
let spare: TestPerson
let expired: TestPerson
let ownIds: Ids
let otherIds: Ids
let expiredKey: string
let validKey: string

beforeAll(async () => {
  owner = await server.signUpOwner()
  other = await server.addPerson('other')
  spare = await server.addPerson('spare')
  expired = await server.addPerson('expired')
  await tablesIn(server.open)
    .updateTable('sessions')
    .set({ expiresAt: new Date(Date.now() - 1000).toISOString() })
    .where('userId', '=', expired.userId)
    .execute()
  expiredKey = await makeKey(owner, 1)
  server.clock.now += 2 * 24 * 3600 * 1000
  await server.confirm(owner)
  await server.confirm(other)
  validKey = await makeKey(owner, 3650)
  ownIds = await makeIds(server, { person: owner })
  otherIds = await makeIds(server, { person: other })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await host[Symbol.asyncDispose]()
})

async function makeKey(person: TestPerson, expiresInDays: number): Promise<string> {
  const body = { name: 'key', expiresInDays, scopes: keyScopes }
  const response = await server.call('POST', '/api/v1/api-keys', { body, person })
  return ((await response.json()) as { secret: string }).secret
}

async function send(route: string, row: BadInputRow, bad: BadRequest): Promise<Response> {
  const [method = '', path = ''] = route.split(' ')
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = row.params?.[name]
    return bad.params?.[name] ?? (typeof value === 'object' ? value.value : (ownIds[name] ?? 'missing'))
  })
  const parameters = Object.entries({ ...row.query, ...bad.query }).filter(([name]) => name !== bad.omit)
  const query = new URLSearchParams(parameters).toString()
  const search = [query, bad.rawQuery ?? ''].filter((part) => part !== '').join('&')
  const body = bad.body ?? row.body ?? (row.isRaw ? new Blob(['bytes']).stream() : undefined)
  // Attempt limits have their own tests; here each request is independent.
  server.clock.now += 15 * 60_000
  const { person } = personOf(bad)
  if (person !== undefined) await server.confirm(person)
  return await server.call(method, `/api/v1${filled}${search === '' ? '' : `?${search}`}`, {
    body,
    headers: { ...credentials(bad), ...(bad.contentType === undefined ? {} : { 'content-type': bad.contentType }) },
    ...(person && { person }),
  })
}

function personOf(bad: BadRequest): { person?: TestPerson } {
  if (bad.credentials === undefined) return { person: owner }
  if (bad.credentials === 'other-person') return { person: other }
  return bad.credentials === 'spare-person' ? { person: spare } : {}
}

function credentials(bad: BadRequest): Record<string, string> {
  if (bad.credentials === 'unknown-key') return { authorization: 'Bearer threadbox_nobody' }
  if (bad.credentials === 'expired-key') return { authorization: `Bearer ${expiredKey}` }
  if (bad.credentials === 'key') return { authorization: `Bearer ${validKey}` }
  if (bad.credentials === 'expired-session') return expired.headers
  return {}
}

async function answerOf(response: Response) {
  const { error } = (await response.json()) as { error: { code: string; kind: string; message: string } }
  return { status: response.status, code: error.code, kind: error.kind, message: error.message }
}

test('every route of the document has a row, and every row is a route', () => {
  expect(Object.keys(badInputRows).sort()).toEqual(operations.map(({ route }) => route).sort())
})

describe.each(operations)('$route', ({ route, operation }) => {
  const row = badInputRows[route] ?? {}

  test('rejects every bad request with its code', async () => {
    const wrong: Record<string, unknown> = {}
    for (const bad of badRequestsFor(operation, row)) {
      const response = await send(route, row, bad)
      const answer = response.status < 400 ? { status: response.status, code: 'accepted' } : await answerOf(response)
      await response.body?.cancel().catch(() => {})
      if (!bad.codes.includes(answer.code)) wrong[bad.title] = { expected: bad.codes, answer }
    }
    expect(wrong).toEqual({})
  })

  test('responds to another user’s id exactly as to an unknown one', async () => {
    for (const [name, code] of Object.entries(row.unknown ?? {})) {
      const theirs = await answerOf(
        await send(route, row, { title: '', params: { [name]: otherIds[name] ?? 'x' }, codes: [] }),
      )
      const unknownId = await answerOf(
        await send(route, row, { title: '', params: { [name]: 't-unknown' }, codes: [] }),
      )
      expect(theirs).toEqual(unknownId)
      expect(theirs.code).toBe(code)
    }
  })

  test('accepts the row’s own request, so that each bad request above has only one fault', async () => {
    if (Object.keys(row.unknown ?? {}).length > 0) return
    const leaving = row.endsLogin === true ? { credentials: 'spare-person' as const } : {}
    const response = await send(route, row, { title: 'nothing is wrong', codes: [], ...leaving })
    const code = response.status < 400 ? 'accepted' : (await answerOf(response)).code
    await response.body?.cancel().catch(() => {})
    expect(code).not.toMatch(/^request\./)
  })

  if (!route.startsWith('GET ')) {
    test('refuses a change that another page sends', async () => {
      const headers = { origin: 'http://8000-x.test00.localhost', ...owner.headers }
      const response = await server.call(route.split(' ')[0] ?? '', `/api/v1${route.split(' ')[1]}`, { headers })
      expect((await answerOf(response)).code).toBe('request.origin-refused')
    })
  }
})
