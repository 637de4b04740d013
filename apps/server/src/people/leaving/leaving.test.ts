import type { Belongings, OwnershipOffer, People, PersonalNames, Thread } from '@threadbox/protocol/public'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'
import { tablesIn } from '../../tables.test-utils.ts'

type Refusal = { error?: { code: string } }

onBothDatabases((target) => {
  let server: TestApplication
  let owner: TestPerson
  let ben: TestPerson
  let cleo: TestPerson
  beforeEach(async () => {
    server = await makeTestApplication(await target())
    owner = await server.signUpOwner()
    ben = await server.addPerson('Ben')
    cleo = await server.addPerson('Cleo')
    await server.start()
  })
  afterEach(() => server[Symbol.asyncDispose]())

  async function as<Answer>(
    person: TestPerson,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Answer & Refusal> {
    await server.confirm(person)
    const response = await server.call(method, `/api/v1${path}`, { person, body })
    return (response.status === 204 ? {} : await response.json()) as Answer & Refusal
  }
  const codeOf = async (person: TestPerson, method: string, path: string, body?: unknown) =>
    (await as(person, method, path, body)).error?.code ?? 'done'
  const newThread = (person: TestPerson, request: object = {}) =>
    as<Thread>(person, 'POST', '/threads', { title: 'A thread', ...request })
  const disable = (person: TestPerson) => as(owner, 'PATCH', `/people/${person.userId}`, { isDisabled: true })
  const titlesOf = async (person: TestPerson) =>
    (await as<{ threads: Thread[] }>(person, 'GET', '/threads')).threads.map(({ title }) => title).toSorted()
  /** Operations end with an audit row, which is an event. */
  const done = (action: string) =>
    new Promise<void>((resolve) => {
      server.areas.people.events.on('audited', (row) => {
        if (row.action === action) resolve()
      })
    })
  async function workspaceOf(person: TestPerson, members: [TestPerson, string][], name = 'Team'): Promise<string> {
    const { id } = await as<{ id: string }>(person, 'POST', '/workspaces', { name })
    for (const [member, role] of members)
      await as(person, 'PUT', `/workspaces/${id}/members/${member.userId}`, { role })
    return id
  }

  describe('handing over', () => {
    test('is refused for people with an account, to the disabled, to themselves, and by members', async () => {
      const at = `/people/${ben.userId}/hand-over`
      expect(await codeOf(owner, 'POST', at, { to: cleo.userId })).toBe('person.not-disabled')
      expect(await codeOf(cleo, 'POST', at, { to: cleo.userId })).toBe('auth.owner-required')
      await disable(ben)
      expect(await codeOf(owner, 'POST', at, { to: ben.userId })).toBe('person.recipient-invalid')
      expect(await codeOf(owner, 'POST', at, { to: 'u-gone' })).toBe('person.recipient-invalid')
      await disable(cleo)
      expect(await codeOf(owner, 'POST', at, { to: cleo.userId })).toBe('person.recipient-invalid')
      expect(await codeOf(owner, 'POST', '/people/u-gone/hand-over', { to: owner.userId })).toBe('person.not-found')
    })

    test('C12: gives threads, agents, schedules and workspaces to the other person, and nothing personal', async () => {
      const workspaceId = await workspaceOf(ben, [])
      await newThread(ben, { title: 'Outside' })
      await newThread(ben, { title: 'Inside', workspaceId })
      await newThread(ben, { title: 'Private', workspaceId, isPrivate: true })
      const agent = await as<{ id: string }>(ben, 'POST', '/agents', { name: 'Helper', instructions: 'Help.' })
      await as(cleo, 'POST', '/agents', { name: 'helper', instructions: 'Mine.' })
      const trigger = { name: 'Daily', cron: '0 8 * * *', timeZone: 'UTC', input: 'Go.' }
      expect(await codeOf(ben, 'POST', `/agents/${agent.id}/schedules`, trigger)).toBe('done')
      const secret = { name: 'API_KEY', value: 'a-long-secret-value', hosts: ['api.example.com'] }
      expect(await codeOf(ben, 'POST', '/secrets', secret)).toBe('done')
      await disable(ben)
      const ended = done('handed-over')
      const answer = await as<Belongings>(owner, 'POST', `/people/${ben.userId}/hand-over`, { to: cleo.userId })
      expect(answer.counts).toMatchObject({ threads: 3, agents: 1, schedules: 1, workspaces: 1 })
      expect(answer.personal).toEqual({ secrets: ['API_KEY'], gitCredentials: [], connections: [] })
      await ended
      expect(await titlesOf(cleo)).toEqual(['Inside', 'Outside', 'Private'])
      const { agents } = await as<{ agents: { name: string }[] }>(cleo, 'GET', '/agents')
      expect(agents.map(({ name }) => name).toSorted()).toEqual(['Helper (2)', 'helper'])
      const tables = tablesIn(server.open)
      const schedules = await tables.selectFrom('run_schedules').select('user_id').execute()
      expect(schedules).toEqual([{ user_id: cleo.userId }])
      const { owner_id } = await tables.selectFrom('workspaces').select('owner_id').executeTakeFirstOrThrow()
      expect(owner_id).toBe(cleo.userId)
      expect((await tables.selectFrom('secrets').select('user_id').execute())[0]?.user_id).toBe(ben.userId)
      const left = await as<Belongings>(owner, 'GET', `/people/${ben.userId}/belongings`)
      expect(left.counts).toMatchObject({ threads: 0, agents: 0, schedules: 0 })
    })

    test('ends the use of what is personal in the thread, also for the other person until they turn it on', async () => {
      const workspaceId = await workspaceOf(owner, [
        [ben, 'member'],
        [cleo, 'member'],
      ])
      const { id } = await newThread(ben, { workspaceId, isPrivate: true })
      const secret = { name: 'API_KEY', value: 'a-long-secret-value', hosts: ['api.example.com'] }
      const created = await as<{ id: string }>(ben, 'POST', '/secrets', secret)
      expect(await codeOf(ben, 'PUT', `/threads/${id}/secrets/${created.id}`, { way: 'brokered' })).toBe('done')
      const uses = await as<PersonalNames>(ben, 'GET', `/threads/${id}/personal-uses`)
      expect(uses).toEqual({ secrets: ['API_KEY'], gitCredentials: [], connections: [] })
      expect(await codeOf(cleo, 'POST', `/threads/${id}/hand-over`, { to: cleo.userId })).toBe('thread.not-found')
      const ended = done('thread-handed-over')
      expect(await as(ben, 'POST', `/threads/${id}/hand-over`, { to: cleo.userId })).toEqual(uses)
      await ended
      expect(await titlesOf(cleo)).toEqual(['A thread'])
      expect(await titlesOf(ben)).toEqual([])
      const tables = tablesIn(server.open)
      expect(await tables.selectFrom('secret_grants').selectAll().execute()).toEqual([])
      const row = await tables.selectFrom('threads').select('is_personal_off').where('id', '=', id).executeTakeFirst()
      expect(row?.is_personal_off).toBe(1)
    })

    test('to a person who could not work in the thread is refused', async () => {
      const workspaceId = await workspaceOf(ben, [[cleo, 'viewer']])
      const { id } = await newThread(ben, { workspaceId })
      expect(await codeOf(ben, 'POST', `/threads/${id}/hand-over`, { to: cleo.userId })).toBe('thread.creator-outside')
      expect(await codeOf(cleo, 'POST', `/threads/${id}/hand-over`, { to: ben.userId })).toBe('workspace.role-missing')
    })
  })

  describe('erasing', () => {
    test('is refused for the owner, for people with an account, and by members', async () => {
      expect(await codeOf(owner, 'POST', '/me/erase')).toBe('person.owner-leaves')
      expect(await codeOf(owner, 'POST', `/people/${ben.userId}/erase`)).toBe('person.not-disabled')
      expect(await codeOf(cleo, 'POST', `/people/${ben.userId}/erase`)).toBe('auth.owner-required')
      await server.call('POST', '/api/v1/me/erase', { person: ben })
      server.clock.now += 11 * 60_000
      const late = await server.call('POST', '/api/v1/me/erase', { person: cleo })
      expect(((await late.json()) as Refusal).error?.code).toBe('auth.confirmation-required')
    })

    test('one’s own account signs out immediately, and it can’t be enabled again', async () => {
      await server.areas.platform.operations.stop()
      expect(await codeOf(ben, 'POST', '/me/erase')).toBe('done')
      expect((await server.call('GET', '/api/v1/me', { person: ben })).status).toBe(401)
      expect(await codeOf(owner, 'PATCH', `/people/${ben.userId}`, { isDisabled: false })).toBe('person.being-erased')
      expect(await codeOf(owner, 'POST', `/people/${ben.userId}/erase`)).toBe('person.leaving')
      const { people } = await as<People>(owner, 'GET', '/people')
      expect(people.find(({ id }) => id === ben.userId)).toMatchObject({ isDisabled: true, isBeingErased: true })
    })

    test('gives workspaces with others to one of them, and keeps what is theirs and what was used', async () => {
      const shared = await workspaceOf(ben, [[cleo, 'member']])
      await workspaceOf(cleo, [], 'Team')
      await newThread(cleo, { title: 'Hers', workspaceId: shared })
      await newThread(ben, { title: 'His', workspaceId: shared })
      const usage = {
        id: 'u1',
        at: server.clock.now,
        user_id: ben.userId,
        workspace_id: null,
        thread_id: null,
        turn_id: null,
        kind: 'step',
        model_id: 'm',
        model_name: 'M',
        provider: 'openai',
        model: 'm',
        input_tokens: 1,
        output_tokens: 1,
        cached_input_tokens: 0,
        cache_write_tokens: 0,
        cost_micro_usd: 40,
        price_version: 'v',
        is_estimated: 0,
      }
      const tables = tablesIn(server.open)
      await tables.insertInto('model_usage').values(usage).execute()
      await disable(ben)
      const ended = done('person-erased')
      expect(await codeOf(owner, 'POST', `/people/${ben.userId}/erase`)).toBe('done')
      await ended
      expect(await titlesOf(cleo)).toEqual(['Hers'])
      const { workspaces } = await as<{ workspaces: { name: string; role: string }[] }>(cleo, 'GET', '/workspaces')
      expect(workspaces.map(({ name, role }) => `${name}: ${role}`).toSorted()).toEqual([
        'Team (2): owner',
        'Team: owner',
      ])
      const kept = await tables.selectFrom('model_usage').select(['user_id', 'cost_micro_usd']).execute()
      expect(kept).toEqual([{ user_id: ben.userId, cost_micro_usd: 40 }])
    })
  })

  describe('ownership', () => {
    const offer = (person: TestPerson, to: TestPerson) => as(person, 'PUT', '/ownership-offer', { personId: to.userId })
    const ownersIn = async () =>
      (await as<People>(owner, 'GET', '/people')).people.filter(({ role }) => role === 'owner')

    test('is offered by the owner, to a person with an account, and accepted by that person', async () => {
      expect((await offer(ben, cleo)).error?.code).toBe('auth.owner-required')
      expect((await offer(owner, owner)).error?.code).toBe('person.recipient-invalid')
      await offer(owner, ben)
      expect((await as<OwnershipOffer>(ben, 'GET', '/ownership-offer')).offer).toMatchObject({ personId: ben.userId })
      expect(await as(cleo, 'GET', '/ownership-offer')).toEqual({ offer: null })
      expect(await codeOf(cleo, 'POST', '/ownership-offer/accept')).toBe('ownership.not-offered')
      const both = await Promise.all([
        codeOf(ben, 'POST', '/ownership-offer/accept'),
        codeOf(ben, 'POST', '/ownership-offer/accept'),
      ])
      expect(both.toSorted()).toEqual(['done', 'ownership.not-offered'])
      expect((await ownersIn()).map(({ id }) => id)).toEqual([ben.userId])
      expect(await as(owner, 'GET', '/me')).toMatchObject({ role: 'admin', isOwner: false })
      expect(await codeOf(owner, 'POST', '/ownership-offer/accept')).toBe('ownership.not-offered')
    })

    test('an offer ends when it is withdrawn, declined, or after 7 days', async () => {
      await offer(owner, ben)
      expect(await codeOf(owner, 'DELETE', '/ownership-offer')).toBe('done')
      await offer(owner, ben)
      expect(await codeOf(cleo, 'DELETE', '/ownership-offer')).toBe('ownership.not-offered')
      expect(await codeOf(ben, 'DELETE', '/ownership-offer')).toBe('done')
      await offer(owner, ben)
      server.clock.now += 7 * 24 * 3_600_000
      expect(await codeOf(ben, 'POST', '/ownership-offer/accept')).toBe('ownership.not-offered')
      expect((await ownersIn()).map(({ id }) => id)).toEqual([owner.userId])
    })
  })
})
