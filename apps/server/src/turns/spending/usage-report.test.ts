import type { UsageReport, Workspace } from '@threadbox/protocol/public'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'
import { tablesIn } from '../../tables.test-utils.ts'
import type { UsageRow } from './usage.table.ts'

type Refusal = { error?: { code: string } }

const row: UsageRow = {
  id: '',
  at: Date.parse('2026-11-15T12:00:00Z'),
  user_id: '',
  workspace_id: null,
  thread_id: null,
  turn_id: null,
  kind: 'step',
  model_id: 'm1',
  model_name: 'Sonnet',
  provider: 'anthropic',
  model: 'claude-sonnet-4-5',
  input_tokens: 100,
  output_tokens: 10,
  cached_input_tokens: 40,
  cache_write_tokens: 0,
  cost_micro_usd: 450,
  price_version: 'v1',
  is_estimated: 0,
}

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

  let count = 0
  async function spend(person: TestPerson, more: Partial<UsageRow> = {}): Promise<void> {
    count += 1
    const values = { ...row, id: `7${count}`, user_id: person.userId, ...more }
    await tablesIn(server.open).insertInto('model_usage').values(values).execute()
  }
  const november = 'from=2026-11-01&to=2026-11-30'
  async function report(person: TestPerson, query = '', period = november): Promise<UsageReport & Refusal> {
    const response = await server.call('GET', `/api/v1/usage?${period}&${query}`, { person })
    return (await response.json()) as UsageReport & Refusal
  }
  const csv = async (person: TestPerson, query = '') =>
    (await server.call('GET', `/api/v1/usage/csv?${november}&${query}`, { person })).text()
  const costs = ({ groups }: UsageReport) => groups.map(({ key, sums }) => [key, sums.costMicroUsd])
  async function post<Answer>(person: TestPerson, path: string, body: object): Promise<Answer> {
    return (await (await server.call('POST', `/api/v1${path}`, { person, body })).json()) as Answer
  }

  describe('usage', () => {
    test('is a person’s own; only the owner and admins see everyone’s', async () => {
      await spend(owner)
      await spend(ben, { cost_micro_usd: 7 })
      expect((await report(ben)).total).toMatchObject({ requests: 1, costMicroUsd: 7 })
      expect((await report(ben, 'of=everyone')).error?.code).toBe('usage.others-hidden')
      expect(await csv(ben, 'of=everyone')).toContain('usage.others-hidden')
      expect(costs(await report(owner, 'of=everyone&by=person'))).toEqual([
        [owner.userId, 450],
        [ben.userId, 7],
      ])
    })

    test('of a workspace is for its owners, by the person who paid', async () => {
      const { id } = await post<Workspace>(ben, '/workspaces', { name: 'Data' })
      await spend(ben, { workspace_id: id })
      await spend(owner, { workspace_id: id, cost_micro_usd: 1 })
      await spend(ben, { cost_micro_usd: 3 })
      expect(costs(await report(ben, `of=workspace&workspaceId=${id}&by=person`))).toEqual([
        [ben.userId, 450],
        [owner.userId, 1],
      ])
      expect((await report(owner, `of=workspace&workspaceId=${id}`)).error?.code).toBe('workspace.not-found')
      expect((await report(ben, 'of=workspace')).error?.code).toBe('workspace.not-found')
      expect((await report(ben, 'by=workspace')).groups).toMatchObject([
        { key: id, name: 'Data', sums: { requests: 1 } },
        { key: null, name: null, sums: { requests: 1 } },
      ])
    })

    test('keeps its total when threads are deleted; their title is not shown then', async () => {
      const thread = await post<{ id: string }>(ben, '/threads', { title: 'Sums' })
      await spend(ben, { thread_id: thread.id })
      expect((await report(ben, 'by=thread')).groups).toMatchObject([{ key: thread.id, name: 'Sums' }])
      await server.call('DELETE', `/api/v1/threads/${thread.id}`, { person: ben })
      expect(await report(ben, 'by=thread')).toMatchObject({
        total: { requests: 1, costMicroUsd: 450 },
        groups: [{ key: thread.id, name: null }],
      })
    })

    test('counts days in the time zone of the setting, from its first to its last moment', async () => {
      const times = ['2026-10-31T23:30:00+01:00', '2026-11-01T00:00:00+01:00', '2026-11-30T23:59:59+01:00']
      for (const at of times) await spend(ben, { at: Date.parse(at) })
      await spend(ben, { at: Date.parse('2026-12-01T00:00:00+01:00') })
      await server.confirm(owner)
      const change = { settings: { timeZone: 'Europe/Berlin' } }
      await server.call('PATCH', '/api/v1/settings', { person: owner, body: change })
      expect(await report(ben)).toMatchObject({
        timeZone: 'Europe/Berlin',
        total: { requests: 2 },
        groups: [{ key: '2026-11-01' }, { key: '2026-11-30' }],
      })
      for (const wrong of ['from=2026-11-02&to=2026-11-01', 'from=2020-01-01&to=2026-11-01']) {
        expect((await report(ben, '', wrong)).error?.code).toBe('usage.period-invalid')
      }
    })

    test('says how much of it has no price, and how much is estimated', async () => {
      await spend(ben, { cost_micro_usd: null, price_version: null, model_id: 'm2', model_name: 'Llama' })
      await spend(ben, { is_estimated: 1 })
      expect((await report(ben, 'by=model')).total).toMatchObject({
        requests: 2,
        inputTokens: 200,
        outputTokens: 20,
        cachedInputTokens: 80,
        costMicroUsd: 450,
        unpricedRequests: 1,
        estimatedRequests: 1,
      })
    })

    test('as CSV has a line for each request and the same sum, and no cell is a formula', async () => {
      await tablesIn(server.open)
        .updateTable('users')
        .set({ name: '=1+1, "Ben"' })
        .where('id', '=', ben.userId)
        .execute()
      for (let each = 0; each < 1201; each++) await spend(ben, { at: row.at + (each % 7), cost_micro_usd: each })
      const lines = (await csv(ben)).trimEnd().split('\r\n')
      expect(lines[0]).toContain('time,person,person_id')
      expect(lines).toHaveLength(1202)
      const micro = lines.slice(1).map((line) => Math.round(Number(line.split(',').at(-3)) * 1_000_000))
      expect(micro.reduce((sum, each) => sum + each, 0)).toBe((await report(ben)).total.costMicroUsd)
      expect(lines[1]).toContain(`,"'=1+1, ""Ben""",`)
    })

    test('settles what a server that is gone had reserved', async () => {
      const reserve = (id: string, ageMs: number) =>
        tablesIn(server.open)
          .insertInto('usage_reservations')
          .values({ ...row, id, user_id: ben.userId, at: server.clock.now - ageMs, is_estimated: 1 })
          .execute()
      await reserve('7old', 16 * 60_000)
      await reserve('7new', 60_000)
      await report(ben)
      expect(await tablesIn(server.open).selectFrom('model_usage').select('id').execute()).toEqual([{ id: '7old' }])
    })
  })
})
