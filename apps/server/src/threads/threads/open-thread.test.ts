import type { EntriesPage, Thread, ThreadPage } from '@threadbox/protocol/public'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'
import { tablesIn } from '../../tables.test-utils.ts'

onBothDatabases((target) => {
  let server: TestApplication
  let owner: TestPerson
  let ben: TestPerson
  let thread: Thread
  beforeEach(async () => {
    server = await makeTestApplication(await target())
    owner = await server.signUpOwner()
    ben = await server.addPerson('Ben')
    thread = await as<Thread>(ben, 'POST', '/threads', { title: 'Hers alone' })
  })
  afterEach(() => server[Symbol.asyncDispose]())

  async function call(person: TestPerson, method: string, path: string, body?: unknown): Promise<Response> {
    await server.confirm(person)
    return await server.call(method, `/api/v1${path}`, { person, body })
  }
  async function as<Answer>(person: TestPerson, method: string, path: string, body?: unknown): Promise<Answer> {
    return (await (await call(person, method, path, body)).json()) as Answer
  }
  const turnOn = () => call(owner, 'PATCH', '/settings', { settings: { adminsMayRead: 'with-reason' } })
  const open = (person: TestPerson, threadId = thread.id) =>
    call(person, 'POST', `/threads/${threadId}/openings`, { reason: 'A report of misuse.' })
  /** The response without what differs for each request. */
  const shownBy = async (response: Response) => {
    const { error } = (await response.json()) as { error: { requestId: string } }
    return [response.status, { ...error, requestId: '' }]
  }
  const statusOf = async (person: TestPerson, method: string, path: string, body?: unknown) =>
    (await call(person, method, path, body)).status

  test('C12: while the setting is off, nothing opens, and the response is that of a missing thread', async () => {
    expect(await as(owner, 'GET', '/setup')).toMatchObject({ adminsMayRead: false })
    const missing = await shownBy(await open(owner, 't-gone'))
    expect(await shownBy(await open(owner))).toEqual(missing)
    expect(await statusOf(owner, 'GET', `/threads/${thread.id}`)).toBe(404)
    await turnOn()
    expect(await shownBy(await open(await server.addPerson('Cleo')))).toEqual(missing)
    expect(await statusOf(owner, 'GET', `/threads/${thread.id}`)).toBe(404)
    expect(await statusOf(owner, 'POST', `/threads/${thread.id}/openings`, { reason: '  ' })).toBe(400)
    expect(await as(owner, 'GET', '/setup')).toMatchObject({ adminsMayRead: true })
  })

  test('C12: each opening is in the thread and in the audit log, and allows to read, for an hour', async () => {
    await turnOn()
    expect((await open(owner)).status).toBe(201)
    const { entries } = await as<EntriesPage>(ben, 'GET', `/threads/${thread.id}/entries`)
    expect(entries).toMatchObject([
      { kind: 'notice', code: 'opened-by-admin', params: { name: 'Owner', reason: 'A report of misuse.' } },
    ])
    const rows = await tablesIn(server.open)
      .selectFrom('audit_events')
      .select(['user_id', 'subject'])
      .where('action', '=', 'thread-opened')
      .execute()
    expect(rows).toEqual([{ user_id: owner.userId, subject: thread.id }])
    expect(await as<Thread>(owner, 'GET', `/threads/${thread.id}`)).toMatchObject({ title: 'Hers alone', allowed: [] })
    expect(await statusOf(owner, 'GET', `/threads/${thread.id}/entries`)).toBe(200)
    const refused = [
      ['GET', `/threads/${thread.id}/export?format=markdown`],
      ['POST', `/threads/${thread.id}/fork`, {}],
      ['PATCH', `/threads/${thread.id}`, { title: 'Mine' }],
      ['DELETE', `/threads/${thread.id}`],
      ['GET', `/threads/${thread.id}/secrets`],
      ['POST', `/threads/${thread.id}/stop`],
    ] as const
    for (const [method, path, body] of refused)
      expect([path, await statusOf(owner, method, path, body)]).toEqual([path, 404])
    expect((await as<ThreadPage>(owner, 'GET', '/threads')).threads).toEqual([])
    const key = await as<{ secret: string }>(owner, 'POST', '/api-keys', { name: 'key', scopes: ['read'] })
    const byKey = { headers: { authorization: `Bearer ${key.secret}` } }
    expect((await server.call('GET', `/api/v1/threads/${thread.id}`, byKey)).status).toBe(404)
    server.clock.now += 3_600_000
    expect(await statusOf(owner, 'GET', `/threads/${thread.id}`)).toBe(404)
  })

  test('C12: turning the setting off, or the end of being an admin, ends what is open', async () => {
    await turnOn()
    await open(owner)
    expect(await statusOf(owner, 'GET', `/threads/${thread.id}`)).toBe(200)
    await call(owner, 'PATCH', '/settings', { settings: { adminsMayRead: null } })
    expect(await statusOf(owner, 'GET', `/threads/${thread.id}`)).toBe(404)
    await turnOn()
    const admin = await server.addPerson('Eve')
    await call(owner, 'PATCH', `/people/${admin.userId}`, { role: 'admin' })
    expect((await open(admin)).status).toBe(201)
    expect(await statusOf(admin, 'GET', `/threads/${thread.id}`)).toBe(200)
    await call(owner, 'PATCH', `/people/${admin.userId}`, { role: 'member' })
    expect(await statusOf(admin, 'GET', `/threads/${thread.id}`)).toBe(404)
  })
})
