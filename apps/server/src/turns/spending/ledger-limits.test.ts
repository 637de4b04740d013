import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'
import { tablesOf } from '../../platform/database/database.ts'
import { makeSystem } from '../../platform/system/system.ts'
import { type Ledger, makeLedger } from './ledger.ts'
import { type ModelUsage, noUsage } from './model-usage.ts'
import { priceOf } from './prices.ts'
import { makeUsageStore, type SpendLimit } from './usage.store.ts'
import type { UsageTables } from './usage.table.ts'

const usd = 1_000_000
const november = { from: Date.parse('2026-11-01T00:00:00Z'), to: Date.parse('2026-12-01T00:00:00Z') }
const connection = { id: 'm1', name: 'Priced', provider: 'ollama', model: 'any' } as const

onBothDatabases((target) => {
  let server: TestApplication
  let ben: TestPerson
  let now = Date.parse('2026-11-15T12:00:00Z')
  let limits: SpendLimit[]
  let count = 0
  beforeEach(async () => {
    server = await makeTestApplication(await target())
    await server.signUpOwner()
    ben = await server.addPerson('Ben')
    limits = [{ ...november, userId: ben.userId, microUsd: 5 * usd }]
  })
  afterEach(() => server[Symbol.asyncDispose]())

  /** Another server on the same tables. */
  const ledger = (allowsUnpriced = true): Ledger =>
    makeLedger({
      store: makeUsageStore(tablesOf<UsageTables>(server.open.database)),
      limitsOf: async () => ({ limits, timeZone: 'UTC', allowsUnpriced }),
      system: makeSystem({ now: () => now, randomBytes: (length) => new Uint8Array(length) }),
    })
  /** 1 USD for 100,000 tokens of input or output. */
  const price = () =>
    priceOf({ provider: 'ollama', model: 'any', baseUrl: null, enteredInputUsd: 10, enteredOutputUsd: 10 }, now)
  async function begin(most: { inputTokens: number; outputTokens: number }, by = ledger()) {
    const payer = { userId: ben.userId, workspaceId: null, threadId: null, turnId: null }
    count += 1
    return by.begin({ id: `7${count}`, payer, kind: 'step', model: { connection, price: await price() }, most })
  }
  const spent = (at = november) =>
    makeUsageStore(tablesOf<UsageTables>(server.open.database)).spent({ ...at, userId: ben.userId })
  const used = (tokens: Partial<ModelUsage>): ModelUsage => ({ ...noUsage, ...tokens })

  describe('a limit for models', () => {
    test('lets as many requests begin at the same time as it has money for, with one server and with two', async () => {
      const two = [ledger(), ledger()]
      const results = await Promise.allSettled(
        Array.from({ length: 20 }, (_, each) => begin({ inputTokens: 0, outputTokens: 100_000 }, two[each % 2])),
      )
      const begun = results.filter(({ status }) => status === 'fulfilled')
      expect(begun).toHaveLength(5)
      expect(await spent()).toBe(5 * usd)
      const refused = results.find((result) => result.status === 'rejected')
      expect(refused?.reason).toMatchObject({
        code: 'quota.spend-used-up',
        details: { used: '5.00', limit: '5.00', resets: '2026-12-01', resetsAt: november.to },
      })
    })

    test('shortens a response to what is left, and refuses one that would be too short', async () => {
      await (await begin({ inputTokens: 0, outputTokens: 400_000 })).settle(used({ outputTokens: 400_000 }))
      const last = await begin({ inputTokens: 10_000, outputTokens: 200_000 })
      expect(last.maxOutputTokens).toBe(87_000)
      await last.settle(used({ inputTokens: 10_000, outputTokens: 86_000 }))
      expect(await spent()).toBe(4_960_000)
      await expect(begin({ inputTokens: 2500, outputTokens: 5000 })).rejects.toMatchObject({
        code: 'quota.spend-used-up',
      })
      expect((await begin({ inputTokens: 0, outputTokens: 5000 })).maxOutputTokens).toBe(4000)
    })

    test('counts what was reserved back when less was used, nothing came, or the provider rejected it', async () => {
      const charge = await begin({ inputTokens: 0, outputTokens: 500_000 })
      await charge.settle(used({ outputTokens: 10 }))
      expect(await spent()).toBe(100)
      await (await begin({ inputTokens: 0, outputTokens: 499_000 })).cancel()
      expect(await spent()).toBe(100)
    })

    test('is exceeded by no more than a provider counts above the estimate, and then nothing begins', async () => {
      const charge = await begin({ inputTokens: 100, outputTokens: 400_000 })
      await charge.settle(used({ inputTokens: 200_000, outputTokens: 400_000 }))
      expect(await spent()).toBe(6 * usd)
      await expect(begin({ inputTokens: 1, outputTokens: 1 })).rejects.toMatchObject({ code: 'quota.spend-used-up' })
    })

    test('starts again with the month in which a request began, and a clock that jumps grants nothing twice', async () => {
      await (await begin({ inputTokens: 0, outputTokens: 500_000 })).settle(used({ outputTokens: 500_000 }))
      const december = { from: november.to, to: Date.parse('2027-01-01T00:00:00Z') }
      now = december.from + 1
      limits = [{ ...december, userId: ben.userId, microUsd: 5 * usd }]
      const over = await begin({ inputTokens: 0, outputTokens: 100_000 })
      now = november.from
      limits = [{ ...november, userId: ben.userId, microUsd: 5 * usd }]
      await over.settle(used({ outputTokens: 100_000 }))
      expect([await spent(), await spent(december)]).toEqual([5 * usd, usd])
      await expect(begin({ inputTokens: 1, outputTokens: 1 })).rejects.toMatchObject({ code: 'quota.spend-used-up' })
    })

    test('of the installation stops everyone, also those who spent nothing', async () => {
      limits = [{ ...november, userId: null, microUsd: usd }]
      const other = { userId: 'u-other', workspaceId: null, threadId: null, turnId: null }
      const charge = await ledger().begin({
        id: '7other',
        payer: other,
        kind: 'step',
        model: { connection, price: await price() },
        most: { inputTokens: 0, outputTokens: 100_000 },
      })
      await charge.settle(used({ outputTokens: 100_000 }))
      await expect(begin({ inputTokens: 1, outputTokens: 1 })).rejects.toMatchObject({
        code: 'quota.installation-spend-used-up',
      })
    })

    test('lets models without a price be used, unless the owner decided otherwise', async () => {
      const request = {
        payer: { userId: ben.userId, workspaceId: null, threadId: null, turnId: null },
        kind: 'step',
        model: { connection, price: null },
        most: { inputTokens: 1, outputTokens: 1 },
      } as const
      expect((await ledger().begin({ ...request, id: '7a' })).maxOutputTokens).toBe(1)
      await expect(ledger(false).begin({ ...request, id: '7b' })).rejects.toMatchObject({
        code: 'quota.model-unpriced',
        details: { model: 'Priced' },
      })
      limits = []
      expect((await ledger(false).begin({ ...request, id: '7c' })).maxOutputTokens).toBe(1)
    })
  })
})
