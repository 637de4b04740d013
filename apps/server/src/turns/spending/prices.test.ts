import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { noUsage } from './model-usage.ts'
import { type PricedModel, priceListVersion, priceOf } from './prices.ts'

const at = Date.parse('2026-11-30T12:00:00Z')
const model = (provider: PricedModel['provider'], name: string, more: Partial<PricedModel> = {}): PricedModel => ({
  provider,
  model: name,
  baseUrl: null,
  enteredInputUsd: null,
  enteredOutputUsd: null,
  ...more,
})

describe('prices', () => {
  it('name the version of the list that is installed', async () => {
    const file = new URL('../../../../../node_modules/@pydantic/genai-prices/package.json', import.meta.url)
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ version: priceListVersion })
  })

  it('charge cached tokens, and those of a higher tier, at their own price', async () => {
    const price = await priceOf(model('anthropic', 'claude-sonnet-4-5'), at)
    expect(price).toMatchObject({ inputUsdPerMillion: 3, outputUsdPerMillion: 15 })
    const usage = {
      ...noUsage,
      inputTokens: 10_000,
      cachedInputTokens: 6000,
      cacheWriteTokens: 3000,
      outputTokens: 200,
    }
    expect(price?.microUsdOf(usage)).toBe(1000 * 3 + 6000 * 0.3 + 3000 * 3.75 + 200 * 15)
    const long = { ...noUsage, inputTokens: 300_000, cachedInputTokens: 1000, outputTokens: 100 }
    expect(price?.microUsdOf(long)).toBe(299_000 * 6 + 1000 * 0.6 + 100 * 22.5)
  })

  it('that a person entered win over the list, each of the two', async () => {
    const usage = { ...noUsage, inputTokens: 1001, cachedInputTokens: 1000, outputTokens: 10 }
    const both = await priceOf(model('openai', 'gpt-5', { enteredInputUsd: 2, enteredOutputUsd: 3 }), at)
    expect(both?.microUsdOf(usage)).toBe(1001 * 2 + 10 * 3)
    const one = await priceOf(model('anthropic', 'claude-sonnet-4-5', { enteredInputUsd: 2 }), at)
    expect(one?.microUsdOf(usage)).toBe(Math.round(1 * 2 + 1000 * 0.2 + 10 * 15))
    const free = await priceOf(model('ollama', 'llama3', { enteredInputUsd: 0, enteredOutputUsd: 0 }), at)
    expect(free?.microUsdOf(usage)).toBe(0)
  })

  it('are not guessed: a similar name and an unknown address have none', async () => {
    const unknown = [
      model('openai', 'gpt-5-pro-next'),
      model('anthropic', 'claude-opus-99'),
      model('ollama', 'llama3'),
      model('openai-compatible', 'gpt-5', { baseUrl: 'http://127.0.0.1:8000/v1' }),
      model('openai-compatible', 'gpt-5'),
      model('ollama', 'llama3', { enteredInputUsd: 1 }),
    ]
    expect(await Promise.all(unknown.map((each) => priceOf(each, at)))).toEqual(unknown.map(() => null))
  })

  it('have a version that changes with them, and only with them', async () => {
    const versionOf = async (input: number) =>
      (await priceOf(model('ollama', 'any', { enteredInputUsd: input, enteredOutputUsd: 1 }), at))?.version
    expect(await versionOf(1)).toBe(await versionOf(1))
    expect(await versionOf(1)).not.toBe(await versionOf(2))
  })

  it('are rounded to the nearest millionth, halves up', async () => {
    const price = await priceOf(model('ollama', 'any', { enteredInputUsd: 0.05, enteredOutputUsd: 0.1 }), at)
    const of = (inputTokens: number, outputTokens = 0) => price?.microUsdOf({ ...noUsage, inputTokens, outputTokens })
    expect([of(9), of(10), of(30), of(1, 2), of(29)]).toEqual([0, 1, 2, 0, 1])
  })
})
