import { createHash } from 'node:crypto'
import type { ModelConnection } from '@threadbox/protocol/public'
import type { ModelUsage } from './model-usage.ts'

/** What is known about a model that is asked, as far as its price depends on it. */
export type PricedModel = {
  provider: ModelConnection['provider']
  /** The provider’s name for it. */
  model: string
  baseUrl: string | null
  /** Prices that a person entered. They win over the list. */
  enteredInputUsd: number | null
  enteredOutputUsd: number | null
}

/** The price of a model at one time. */
export type Price = {
  /** Derived from the definition: the same prices have the same version. */
  version: string
  /** Where the prices are from, and what they are, as JSON. */
  definition: string
  /** Of several tiers, the lowest. */
  inputUsdPerMillion: number
  outputUsdPerMillion: number
  /** What the provider charges, in millionths of a USD. */
  microUsdOf(usage: ModelUsage): number
}

/** Version of the price list, which is part of a dependency. A test compares it with the one that is installed. */
export const priceListVersion = '0.1.8'

/** Providers in the price list. `openai-compatible` and Ollama are found by their address, if at all. */
const listed: Partial<Record<PricedModel['provider'], string>> = {
  anthropic: 'anthropic',
  openai: 'openai',
  google: 'google',
}

/**
 * What Anthropic charges for tokens of its cache, as a share of the price of input. For other providers with an entered
 * price, the full price is an upper bound.
 */
const cacheShares: Partial<Record<PricedModel['provider'], { read: number; write: number }>> = {
  anthropic: { read: 0.1, write: 1.25 },
}

/** Returns the price of a model at `at` (milliseconds); null if it isn’t known. */
export async function priceOf(model: PricedModel, at: number): Promise<Price | null> {
  const fromList = await listedPrice(model, at)
  const { enteredInputUsd, enteredOutputUsd } = model
  if (enteredInputUsd === null && enteredOutputUsd === null) return fromList
  const input = enteredInputUsd ?? fromList?.inputUsdPerMillion
  const output = enteredOutputUsd ?? fromList?.outputUsdPerMillion
  return input === undefined || output === undefined ? null : enteredPrice(model, { input, output })
}

function enteredPrice(model: PricedModel, { input, output }: { input: number; output: number }): Price {
  const shares = cacheShares[model.provider] ?? { read: 1, write: 1 }
  return {
    ...versionOf({ source: 'entered', input, output, cacheRead: shares.read, cacheWrite: shares.write }),
    inputUsdPerMillion: input,
    outputUsdPerMillion: output,
    microUsdOf: (usage) => {
      const read = Math.min(usage.cachedInputTokens, usage.inputTokens)
      const write = Math.min(usage.cacheWriteTokens, usage.inputTokens - read)
      const counted = usage.inputTokens - read - write + read * shares.read + write * shares.write
      return wholeMillionths(counted * input + usage.outputTokens * output)
    },
  }
}

/** The list is loaded when a price is first needed: it takes 40 ms and 19 MB of memory (Node 24, measured alone). */
let list: Promise<typeof import('@pydantic/genai-prices')> | undefined

async function listedPrice(model: PricedModel, at: number): Promise<Price | null> {
  list ??= import('@pydantic/genai-prices')
  const { calcPrice, findProvider } = await list
  const providerId = listed[model.provider]
  const address = model.baseUrl === null ? {} : { providerApiUrl: model.baseUrl }
  const provider = findProvider(providerId === undefined ? address : { providerId })
  if (provider === undefined || (providerId === undefined && model.baseUrl === null)) return null
  const options = { provider, timestamp: new Date(at) }
  const found = calcPrice({ input_tokens: 0, output_tokens: 0 }, model.model, options)
  if (found === null) return null
  const { input_mtok, output_mtok } = found.model_price
  if (input_mtok === undefined || output_mtok === undefined) return null
  const definition = { source: 'list', list: priceListVersion, model: found.model.id, price: found.model_price }
  return {
    ...versionOf(definition),
    inputUsdPerMillion: lowestOf(input_mtok),
    outputUsdPerMillion: lowestOf(output_mtok),
    microUsdOf: (usage) => {
      const read = Math.min(usage.cachedInputTokens, usage.inputTokens)
      const counted = {
        input_tokens: usage.inputTokens,
        output_tokens: usage.outputTokens,
        cache_read_tokens: read,
        cache_write_tokens: Math.min(usage.cacheWriteTokens, usage.inputTokens - read),
      }
      const result = calcPrice(counted, model.model, options)
      return wholeMillionths((result?.total_price ?? 0) * 1_000_000)
    },
  }
}

function lowestOf(price: number | { base: number }): number {
  return typeof price === 'number' ? price : price.base
}

function versionOf(definition: Record<string, unknown>): Pick<Price, 'version' | 'definition'> {
  const text = JSON.stringify(definition)
  return { version: createHash('sha256').update(text).digest('hex').slice(0, 16), definition: text }
}

/** Halves are rounded up. The last digits of a floating-point product are removed first, because they are not in the price. */
function wholeMillionths(value: number): number {
  return Math.round(Number(value.toFixed(4)))
}
