import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'
import { makeRequestRates, type RequestRates } from './request-rates.ts'

describe('requests of a person', () => {
  let limit: number | null
  let nowMs: number
  let rates: RequestRates
  beforeEach(() => {
    limit = 2
    nowMs = 1_000_000
    rates = makeRequestRates({ limitOf: async () => limit, elapsedMs: () => nowMs })
  })
  const send = async (count: number, apiKeyId: string | null = null, userId = 'ben') => {
    let served = 0
    for (let index = 0; index < count; index += 1) {
      await rates.count({ userId, apiKeyId }).then(
        () => (served += 1),
        (error: unknown) => expect(error).toMatchObject({ code: 'quota.requests-used-up' }),
      )
    }
    return served
  }

  test('C12: are refused above the limit, with when to try again', async () => {
    expect(await send(8)).toBe(8)
    await expect(rates.count({ userId: 'ben', apiKeyId: null })).rejects.toMatchObject({
      kind: 'exhausted',
      details: { quota: 'apiRequestsPerSecond', used: 9, limit: 2, retryAfterSeconds: 1 },
    })
    nowMs += 1000
    expect(await send(5)).toBe(2)
  })

  test('C12: with one key don’t delay those with another, nor the app, nor other people', async () => {
    expect(await send(20, 'k1')).toBe(8)
    expect([await send(8, 'k2'), await send(8), await send(8, null, 'eva')]).toEqual([8, 8, 8])
  })

  test('C12: have a limit that changes within seconds, and never locks anyone out', async () => {
    expect(await send(8)).toBe(8)
    limit = null
    nowMs += 5000
    expect(await send(500)).toBe(500)
    limit = 0
    nowMs += 5000
    expect(await send(20)).toBe(4)
    nowMs += 1000
    expect(await send(2)).toBe(1)
  })

  test('are shown as those of the last second', async () => {
    limit = null
    await send(30)
    nowMs += 1000
    await send(1)
    expect(await rates.meter.read('ben', { from: 0, to: 0 })).toBe(30)
    nowMs += 2000
    expect(await rates.meter.read('ben', { from: 0, to: 0 })).toBe(0)
  })
})

describe('the API', () => {
  let server: TestApplication
  let owner: TestPerson
  let ben: TestPerson
  beforeEach(async () => {
    server = await makeTestApplication()
    owner = await server.signUpOwner()
    ben = await server.addPerson('Ben')
    await server.areas.people.quotas.updateOwn(ben.userId, { apiRequestsPerSecond: 1 })
  })
  afterEach(() => server[Symbol.asyncDispose]())
  const send = (path: string) => server.call('GET', `/api/v1${path}`, { person: ben })

  test('C12: refuses requests above the limit with retry-after, and counts no event streams', async () => {
    const streams = await Promise.all(Array.from({ length: 20 }, () => send('/events')))
    expect(streams.map(({ status }) => status)).not.toContain(429)
    await Promise.all(streams.map(({ body }) => body?.cancel()))
    const responses = await Promise.all(Array.from({ length: 60 }, () => send('/me')))
    expect(responses.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(4)
    const refused = responses.find(({ status }) => status === 429)
    expect(refused?.headers.get('retry-after')).toBe('1')
    expect(await refused?.json()).toMatchObject({ error: { code: 'quota.requests-used-up', details: { limit: 1 } } })
    const metrics = await server.call('GET', '/api/v1/metrics', { person: owner })
    expect(await metrics.text()).toMatch(/threadbox_quota_refusals_total\{quota="apiRequestsPerSecond"\} [1-9]/)
  })
})
