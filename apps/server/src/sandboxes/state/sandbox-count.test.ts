import type { WireError } from '@threadbox/errors'
import type { Quotas } from '@threadbox/protocol/public'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'
import { confirmedCalls } from '../../confirmed-calls.test-utils.ts'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'

onBothDatabases((target) => {
  let server: TestApplication
  let owner: TestPerson
  let ben: TestPerson
  beforeEach(async () => {
    server = await makeTestApplication(await target())
    owner = await server.signUpOwner()
    ben = await server.addPerson('Ben')
  })
  afterEach(() => server[Symbol.asyncDispose]())

  const { as } = confirmedCalls(() => server)
  const newThread = async (person: TestPerson) => (await server.areas.threads.threads.create(person.userId, {})).id
  const limit = (sandboxes: number | null) =>
    as(owner, 'PATCH', `/people/${ben.userId}/quotas`, { assigned: { sandboxes } })
  const used = async (person: TestPerson) =>
    (await as<Quotas>(person, 'GET', '/quotas')).quotas.find(({ quota }) => quota === 'sandboxes')
  /** Gives the thread its sandbox, which doesn’t start. */
  const keep = (person: TestPerson, threadId: string) =>
    server.call('POST', `/api/v1/threads/${threadId}/sandbox/hold`, {
      person,
      body: { until: server.clock.now + 60_000 },
    })

  test('C12: of many sandboxes that are made at the same time, exactly as many are as the limit allows', async () => {
    await limit(4)
    const threads: string[] = []
    while (threads.length < 50) threads.push(await newThread(ben))
    const responses = await Promise.all(threads.map((threadId) => keep(ben, threadId)))
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(4)
    const refused = responses.filter(({ status }) => status === 429)
    expect(refused).toHaveLength(46)
    const body = (await refused[0]?.json()) as WireError | undefined
    expect(body?.error).toMatchObject({
      code: 'quota.sandboxes-used-up',
      details: { quota: 'sandboxes', used: 4, limit: 4 },
    })
    expect(await used(ben)).toMatchObject({ used: 4, limit: 4, assigned: 4, resetsAt: null })
  })

  test('C12: at the limit the present sandboxes are usable, those of others are made, and a deleted one makes room', async () => {
    await limit(1)
    const [first, second] = [await newThread(ben), await newThread(ben)]
    expect((await keep(ben, first)).status).toBe(200)
    expect((await keep(ben, second)).status).toBe(429)
    expect((await keep(ben, first)).status).toBe(200)
    expect((await keep(owner, await newThread(owner))).status).toBe(200)
    await server.areas.sandboxes.inside.store.erase(first)
    expect((await keep(ben, second)).status).toBe(200)
  })

  test('C12: a copy of a thread counts, and is refused at the limit', async () => {
    await limit(1)
    const threadId = await newThread(ben)
    expect((await keep(ben, threadId)).status).toBe(200)
    const { store, state } = server.areas.sandboxes.inside
    const source = await store.find(threadId)
    if (source === undefined) throw new Error('no sandbox')
    const fork = state.forkSandbox({ source, snapshotId: null, threadId: await newThread(ben) })
    await expect(fork).rejects.toMatchObject({ code: 'quota.sandboxes-used-up' })
  })

  test('C12: without a limit as many are made as there are threads', async () => {
    await limit(null)
    const threads = [await newThread(ben), await newThread(ben), await newThread(ben)]
    for (const threadId of threads) expect((await keep(ben, threadId)).status).toBe(200)
    expect(await used(ben)).toMatchObject({ used: 3, limit: null })
  })
})
