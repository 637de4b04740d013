import { memberLimits, noLimits } from '@threadbox/domain'
import type {
  PersonQuotas,
  QuotaPreset,
  QuotaPresets,
  QuotaRequest,
  QuotaRequests,
  Quotas,
} from '@threadbox/protocol/public'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'
import { confirmedCalls } from '../../confirmed-calls.test-utils.ts'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'
import { tablesIn } from '../../tables.test-utils.ts'

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

  const { as, codeOf } = confirmedCalls(() => server)
  const limitsOf = async (person: TestPerson) =>
    Object.fromEntries((await as<Quotas>(person, 'GET', '/quotas')).quotas.map(({ quota, limit }) => [quota, limit]))

  describe('limits', () => {
    test('of members are those of their preset; the owner and admins have none', async () => {
      expect(await limitsOf(ben)).toEqual(memberLimits)
      expect(await limitsOf(owner)).toEqual(noLimits)
      await as(owner, 'PATCH', '/quota-presets/member', { limits: { concurrentRuns: 5 } })
      expect(await limitsOf(ben)).toEqual({ ...memberLimits, concurrentRuns: 5 })
    })

    test('say what is used of them and when they start again', async () => {
      const at = server.clock.now
      const row = {
        at,
        user_id: ben.userId,
        kind: 'step',
        model_id: 'm',
        model_name: 'M',
        provider: 'openai',
        model: 'm',
      }
      const place = { workspace_id: null, thread_id: null, turn_id: null, price_version: 'v', is_estimated: 0 }
      const tokens = { input_tokens: 1, output_tokens: 1, cached_input_tokens: 0, cache_write_tokens: 0 }
      const tables = tablesIn(server.open)
      await tables
        .insertInto('model_usage')
        .values({ id: '7a', ...row, ...place, ...tokens, cost_micro_usd: 40 })
        .execute()
      const open = { id: '7b', ...row, ...place, ...tokens, cost_micro_usd: 2 }
      await tables.insertInto('usage_reservations').values(open).execute()
      const [spend] = (await as<Quotas>(ben, 'GET', '/quotas')).quotas
      expect(spend).toMatchObject({ quota: 'modelMicroUsdPerMonth', used: 42, own: null })
      expect(spend?.resetsAt).toBeGreaterThan(at)
      expect(new Date(spend?.resetsAt ?? 0).toISOString()).toMatch(/-01T00:00:00.000Z$/)
    })

    test('of one person are set by those who manage that person, with a preset or one by one', async () => {
      const preset = await as<QuotaPreset>(owner, 'POST', '/quota-presets', {
        name: 'Research',
        limits: { modelMicroUsdPerMonth: 900, awakeSandboxes: 9, concurrentRuns: 9 },
      })
      await as(owner, 'PATCH', `/people/${ben.userId}/quotas`, {
        presetId: preset.id,
        assigned: { concurrentRuns: null },
      })
      expect(await limitsOf(ben)).toEqual({
        ...noLimits,
        modelMicroUsdPerMonth: 900,
        awakeSandboxes: 9,
        concurrentRuns: null,
      })
      expect(await as<PersonQuotas>(owner, 'GET', `/people/${ben.userId}/quotas`)).toMatchObject({
        presetId: preset.id,
        assigned: { concurrentRuns: null },
      })
      const same = {
        name: 'research',
        limits: { modelMicroUsdPerMonth: null, awakeSandboxes: null, concurrentRuns: null },
      }
      expect(await codeOf(owner, 'POST', '/quota-presets', same)).toBe('quota.preset-name-taken')
      expect(await codeOf(owner, 'DELETE', `/quota-presets/${preset.id}`)).toBe('done')
      expect(await limitsOf(ben)).toEqual({ ...memberLimits, concurrentRuns: null })
      expect(await codeOf(owner, 'DELETE', '/quota-presets/member')).toBe('quota.preset-is-default')
      expect(await codeOf(owner, 'PATCH', `/people/${ben.userId}/quotas`, { presetId: 'gone' })).toBe(
        'quota.preset-not-found',
      )
      expect(await codeOf(owner, 'PATCH', '/people/u-gone/quotas', {})).toBe('person.not-found')
    })

    test('can be lowered by the person, not raised', async () => {
      await as(ben, 'PATCH', '/quotas', { concurrentRuns: 1, modelMicroUsdPerMonth: 60_000_000 })
      expect(await limitsOf(ben)).toEqual({ ...memberLimits, concurrentRuns: 1 })
      await as(ben, 'PATCH', '/quotas', { concurrentRuns: null })
      expect(await limitsOf(ben)).toMatchObject({ concurrentRuns: 3 })
    })

    test('of others are not visible to members, who can change only their own', async () => {
      const refused = [
        ['GET', '/quota-presets'],
        [
          'POST',
          '/quota-presets',
          { name: 'Mine', limits: { modelMicroUsdPerMonth: null, awakeSandboxes: null, concurrentRuns: null } },
        ],
        ['PATCH', '/quota-presets/member', { limits: { concurrentRuns: null } }],
        ['DELETE', '/quota-presets/any'],
        ['GET', `/people/${owner.userId}/quotas`],
        ['PATCH', `/people/${ben.userId}/quotas`, { assigned: { concurrentRuns: null } }],
        ['GET', '/quota-requests'],
        ['POST', '/quota-requests/any/decision', { limit: null }],
      ] as const
      for (const [method, path, body] of refused) {
        expect([path, await codeOf(ben, method, path, body)]).toEqual([path, 'auth.owner-required'])
      }
      expect(await codeOf(owner, 'GET', `/people/${owner.userId}/quotas`)).toBe('person.protected')
    })

    test('reject values that are no limits', async () => {
      for (const limit of [-1, 1.5, 1e18, '5']) {
        const body = { limits: { concurrentRuns: limit } }
        expect(await codeOf(owner, 'PATCH', '/quota-presets/member', body)).toBe('request.invalid')
      }
    })
  })

  describe('asking for more', () => {
    const ask = (quota: string) => as<QuotaRequest>(ben, 'POST', '/quotas/requests', { quota, note: 'For the report.' })

    test('is one open request for each limit, which the owner and admins see', async () => {
      const { id } = await ask('concurrentRuns')
      expect((await ask('concurrentRuns')).error?.code).toBe('quota.request-open')
      const { requests } = await as<QuotaRequests>(owner, 'GET', '/quota-requests')
      expect(requests).toMatchObject([{ id, userId: ben.userId, quota: 'concurrentRuns', note: 'For the report.' }])
    })

    test('granted until a time, the higher limit ends then; refused, nothing changes; decided once', async () => {
      const { id } = await ask('concurrentRuns')
      const until = server.clock.now + 3_600_000
      const decision = { limit: 7, until }
      const decide = (requestId: string, body: object) =>
        codeOf(owner, 'POST', `/quota-requests/${requestId}/decision`, body)
      const both = await Promise.all([decide(id, decision), decide(id, decision)])
      expect(both.toSorted()).toEqual(['done', 'quota.request-not-found'])
      expect(await limitsOf(ben)).toMatchObject({ concurrentRuns: 7 })
      server.clock.now = until
      expect(await limitsOf(ben)).toMatchObject({ concurrentRuns: 3 })
      expect(await decide((await ask('concurrentRuns')).id, {})).toBe('done')
      expect(await limitsOf(ben)).toMatchObject({ concurrentRuns: 3 })
    })
  })

  test('presets are listed with that of members first', async () => {
    await as(owner, 'POST', '/quota-presets', {
      name: 'A',
      limits: { modelMicroUsdPerMonth: 1, awakeSandboxes: 1, concurrentRuns: 1 },
    })
    const { presets } = await as<QuotaPresets>(owner, 'GET', '/quota-presets')
    expect(presets.map(({ name, isDefault }) => [name, isDefault])).toEqual([
      ['Member', true],
      ['A', false],
    ])
  })
})
