import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'
import { tablesOf } from '../../platform/database/database.ts'
import { makePreviewStore, type PreviewStore } from './previews.store.ts'

onBothDatabases((target) => {
  let server: TestApplication
  let owner: TestPerson
  let store: PreviewStore
  let threadId: string
  let sessionId: string
  beforeEach(async () => {
    server = await makeTestApplication(await target())
    owner = await server.signUpOwner()
    store = makePreviewStore(tablesOf(server.open.database))
    threadId = (await server.areas.threads.threads.create(owner.userId, {})).id
    sessionId = (await server.areas.people.users.sessions(owner.userId, null))[0]?.id ?? ''
    await store.labelOf(threadId, { make: () => 'aaaaaaaaaa', now: 1 })
  })
  afterEach(() => server[Symbol.asyncDispose]())

  const now = () => server.clock.now
  const add = (
    sha256: string,
    more: { kind?: string; sessionId?: string | null; apiKeyId?: string; expiresInMs?: number } = {},
  ) =>
    store.addPass({
      sha256,
      kind: more.kind ?? 'cookie',
      user_id: owner.userId,
      thread_id: threadId,
      port: 80,
      path: '/',
      session_id: more.sessionId === undefined ? sessionId : more.sessionId,
      api_key_id: more.apiKeyId ?? null,
      share_id: null,
      app_origin: 'http://app',
      created_at: 1,
      expires_at: now() + (more.expiresInMs ?? 1000),
    })
  const valid = async () => (await store.valid(['a', 'b'], now())).map(({ sha256 }) => sha256)

  test('O12: a pass is valid until its time, its session or its thread ends, and never without a session', async () => {
    await add('a')
    await add('b', { sessionId: null })
    expect(await valid()).toEqual(['a'])
    server.clock.now += 1000
    expect(await valid()).toEqual([])
    await store.removeExpired(now())
    await add('a')
    await server.areas.people.users.endSession(owner.userId, sessionId)
    expect(await valid()).toEqual([])
  })

  test('O12: an expired session ends its passes before it is removed', async () => {
    await add('a', { expiresInMs: 60 * 24 * 3600 * 1000 })
    expect(await valid()).toEqual(['a'])
    server.clock.now += 31 * 24 * 3600 * 1000
    expect(await valid()).toEqual([])
  })

  test('O12: a pass of a key that is limited to a workspace is valid while its thread is in it', async () => {
    const { workspaces, threads } = server.areas.threads
    const workspace = await workspaces.create(owner.userId, { name: 'Workspace' })
    const body = { name: 'key', workspaceIds: [workspace.id] }
    const created = await server.call('POST', '/api/v1/api-keys', { body, person: owner })
    await add('a', { sessionId: null, apiKeyId: ((await created.json()) as { id: string }).id })
    expect(await valid()).toEqual([])
    await threads.update(owner.userId, threadId, { workspaceId: workspace.id })
    expect(await valid()).toEqual(['a'])
    await threads.update(owner.userId, threadId, { workspaceId: null })
    expect(await valid()).toEqual([])
  })

  test('O12: a deleted thread has no valid pass, and one that is restored in time has', async () => {
    await add('a')
    await server.areas.threads.threads.delete(owner.userId, threadId)
    expect(await valid()).toEqual([])
    await server.areas.threads.threads.restore(owner.userId, threadId)
    expect(await valid()).toEqual(['a'])
  })

  test('O12: of concurrent uses of a ticket one succeeds, and a cookie is not accepted as a ticket', async () => {
    await add('a', { kind: 'ticket' })
    await add('b')
    const taken = await Promise.all([1, 2, 3].map(() => store.takeTicket('a', now())))
    expect(taken.filter((ticket) => ticket !== undefined)).toHaveLength(1)
    expect(await store.takeTicket('b', now())).toBeUndefined()
    expect(await valid()).toEqual(['b'])
  })

  test('O12: a label that a thread has or had is never assigned to another thread', async () => {
    const other = (await server.areas.threads.threads.create(owner.userId, {})).id
    const offers = ['aaaaaaaaaa', 'aaaaaaaaaa', 'bbbbbbbbbb']
    await store.retireLabel(threadId)
    expect(await store.labelOf(other, { make: () => offers.shift() ?? '', now: 2 })).toBe('bbbbbbbbbb')
    const both = await Promise.all(
      ['cccccccccc', 'dddddddddd'].map((label) => store.labelOf(threadId, { make: () => label, now: 3 })),
    )
    expect(new Set(both).size).toBe(1)
  })
})
