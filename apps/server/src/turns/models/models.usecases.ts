import type { z } from '@hono/zod-openapi'
import { makeId } from '@threadbox/domain'
import type {
  connectModelSchema,
  ModelConnection,
  modelTestSchema,
  updateModelSchema,
} from '@threadbox/protocol/public'
import type { LanguageModel } from 'ai'
import type { Events } from '../../platform/events/events.ts'
import type { Ledger, Payer } from '../spending/ledger.ts'
import { type Price, type PricedModel, priceOf } from '../spending/prices.ts'
import type { TurnEvents } from '../turns.events.ts'
import { type Circuits, makeCircuits } from './circuits.ts'
import { type DiscoveredModel, discoverModels, keyFromEnvironment, keyVariables } from './discover.ts'
import { assumedContextTokens, knownModel } from './known-models.logic.ts'
import { defaultBaseUrls, languageModelOf, type Provider, type ProviderAddresses } from './language-model.ts'
import { modelFailureOf } from './model-failure.logic.ts'
import {
  modelAddressMissing,
  modelFallbackInvalid,
  modelKeyMissing,
  modelKeyNotForAddress,
  modelNotFound,
} from './models.errors.ts'
import type { ModelStore } from './models.store.ts'
import type { ModelConnectionRow } from './models.table.ts'
import { callPaidModel } from './paid-call.ts'

/** Seals values with the installation's master key. `open` throws for a value that another key sealed. */
export type SecretBox = { seal(plain: string): string; open(sealed: string): string }

/** A connected model's client with what is known, or assumed, about it. */
export type UsableModel = {
  connection: ModelConnection
  client: LanguageModel
  contextTokens: number
  /** Null: not known. */
  price: Price | null
}

export type Models = {
  list(): Promise<ModelConnection[]>
  /** Throws `model.key-missing`, `model.address-missing`. */
  connect(input: z.infer<typeof connectModelSchema>): Promise<ModelConnection>
  update(id: string, input: z.infer<typeof updateModelSchema>): Promise<ModelConnection>
  disconnect(id: string): Promise<void>
  /** Makes one real call with one short question, which this person pays. */
  test(id: string, userId: string): Promise<z.infer<typeof modelTestSchema>>
  discover(): Promise<DiscoveredModel[]>
  /** The thread's own model if it still exists, otherwise the default; undefined when no model is connected. */
  usable(modelId: string | null): Promise<UsableModel | undefined>
  circuits: Circuits
}

export type ModelsOptions = {
  store: ModelStore
  secretBox: SecretBox
  events: Pick<Events<TurnEvents>, 'emit'>
  ledger: Pick<Ledger, 'begin'>
  environment: Readonly<Record<string, string | undefined>>
  clock: { nowMs(): number }
  randomBytes: (count: number) => Uint8Array
  /** Where to look for Ollama; null: its default address. */
  ollamaUrl: string | null
  /** Where a key from the environment is sent, and nowhere else. */
  ownAddresses?: ProviderAddresses
}

/** A test call requests little, and a dead address must not keep the user waiting. */
const testTimeoutMs = 30_000
/** More than its two sentences are. */
const testInputTokens = 60

export function makeModels(options: ModelsOptions): Models {
  const { store, secretBox, clock } = options
  const keys = { environment: options.environment, ownAddresses: options.ownAddresses ?? defaultBaseUrls }
  const pricedNow = (row: ModelConnectionRow) => priceOf(pricedModelOf(row), clock.nowMs())
  const view = async (row: ModelConnectionRow) => viewOf(row, { keys, price: await pricedNow(row) })

  const find = async (id: string) => {
    const row = await store.find(id)
    if (row === undefined) throw modelNotFound({})
    return row
  }
  const clientOf = (row: ModelConnectionRow) => {
    const provider = row.provider as Provider
    const apiKey = row.sealed_key === null ? environmentKeyOf(row, keys) : secretBox.open(row.sealed_key)
    return languageModelOf({ provider, model: row.model, baseUrl: row.base_url, apiKey: apiKey ?? null })
  }
  const missingIn = (row: ModelConnectionRow) => {
    const provider = row.provider as Provider
    if (provider === 'openai-compatible' && row.base_url === null) return modelAddressMissing({})
    const variable = keyVariables[provider][0]
    if (variable === undefined || keySourceOf(row, keys) !== 'none') return undefined
    const named = { provider: providerNames[provider], variable }
    const hasKeyForOwnAddress = keyFromEnvironment(provider, keys.environment) !== undefined
    return hasKeyForOwnAddress ? modelKeyNotForAddress(named) : modelKeyMissing(named)
  }

  const check = (row: ModelConnectionRow) => {
    const missing = missingIn(row)
    if (missing !== undefined) throw missing
  }

  const checkFallbacks = async (id: string, fallbackIds: readonly string[] | undefined) => {
    if (fallbackIds === undefined) return
    const known = new Set((await store.list()).map((row) => row.id))
    const isValid = new Set(fallbackIds).size === fallbackIds.length && fallbackIds.every((each) => known.has(each))
    if (!isValid || fallbackIds.includes(id)) throw modelFallbackInvalid({})
  }

  return {
    circuits: makeCircuits(clock.nowMs),
    list: async () => await Promise.all((await store.list()).map(view)),
    connect: async (input) => {
      const isFirst = (await store.findDefault()) === undefined
      const row: ModelConnectionRow = {
        id: makeId('model', options.randomBytes),
        provider: input.provider,
        name: input.name ?? input.model,
        model: input.model,
        base_url: input.baseUrl ?? null,
        sealed_key: input.apiKey === undefined ? null : secretBox.seal(input.apiKey),
        context_tokens: input.contextTokens ?? null,
        input_usd_per_million: input.inputUsdPerMillion ?? null,
        output_usd_per_million: input.outputUsdPerMillion ?? null,
        is_default: isFirst || input.isDefault === true ? 1 : 0,
        supports_images: numberOrNull(input.supportsImages),
        fallback_ids_json: fallbacksOf(input.fallbackIds),
        created_at: clock.nowMs(),
      }
      check(row)
      await checkFallbacks(row.id, input.fallbackIds)
      await store.put(row)
      await options.events.emit('model-connected', { name: row.name })
      return await view(row)
    },
    update: async (id, input) => {
      const row = withChanges(await find(id), input, secretBox)
      check(row)
      await checkFallbacks(id, input.fallbackIds)
      await store.put(row)
      return await view(row)
    },
    disconnect: async (id) => {
      if (!(await store.delete(id))) throw modelNotFound({})
    },
    test: async (id, userId) => {
      const row = await find(id)
      const missing = missingIn(row)
      if (missing !== undefined) {
        const { code, message, remedy } = missing
        return { ok: false, latencyMs: 0, reply: null, failure: { code, message, remedy } }
      }
      const model = { connection: await view(row), client: clientOf(row), price: await pricedNow(row) }
      return await testCall(model, { ...options, payer: { userId, workspaceId: null, threadId: null, turnId: null } })
    },
    discover: () => discoverModels({ environment: keys.environment, ollamaUrl: options.ollamaUrl, fetch }),
    usable: async (modelId) => {
      const own = modelId === null ? undefined : await store.find(modelId)
      const row = own ?? (await store.findDefault())
      if (row === undefined) return undefined
      const price = await pricedNow(row)
      const connection = viewOf(row, { keys, price })
      const contextTokens = connection.contextTokens ?? assumedContextTokens(connection.provider)
      return { connection, client: clientOf(row), contextTokens, price }
    },
  }
}

/** Display names of the providers. */
const providerNames: Record<Provider, string> = {
  anthropic: 'Anthropic',
  openai: 'OpenAI',
  google: 'Google',
  'openai-compatible': 'an OpenAI-compatible server',
  ollama: 'Ollama',
}

type KeySources = Required<Pick<ModelsOptions, 'environment' | 'ownAddresses'>>

/**
 * Returns the provider's key from the environment if the model is at the provider's own origin: a person who can
 * enter an address must not learn that key.
 */
function environmentKeyOf(row: ModelConnectionRow, { environment, ownAddresses }: KeySources): string | undefined {
  const provider = row.provider as Provider
  if (provider === 'openai-compatible') return undefined
  const isOwn = row.base_url === null || originOf(row.base_url) === originOf(ownAddresses[provider])
  return isOwn ? keyFromEnvironment(provider, environment) : undefined
}

/** The origin, or undefined for an address that isn't a URL; older versions stored whatever was entered. */
function originOf(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).origin : undefined
}

function keySourceOf(row: ModelConnectionRow, keys: KeySources): ModelConnection['keySource'] {
  if (row.sealed_key !== null) return 'stored'
  return environmentKeyOf(row, keys) === undefined ? 'none' : 'environment'
}

function pricedModelOf(row: ModelConnectionRow): PricedModel {
  return {
    provider: row.provider as Provider,
    model: row.model,
    baseUrl: row.base_url,
    enteredInputUsd: row.input_usd_per_million,
    enteredOutputUsd: row.output_usd_per_million,
  }
}

function viewOf(row: ModelConnectionRow, { keys, price }: { keys: KeySources; price: Price | null }): ModelConnection {
  const provider = row.provider as Provider
  const known = knownModel(provider, row.model)
  return {
    id: row.id,
    provider,
    name: row.name,
    model: row.model,
    baseUrl: row.base_url,
    keySource: keySourceOf(row, keys),
    contextTokens: row.context_tokens ?? known.contextTokens,
    fallbackIds: JSON.parse(row.fallback_ids_json ?? '[]') as string[],
    supportsImages: row.supports_images === null ? known.supportsImages : row.supports_images === 1,
    inputUsdPerMillion: row.input_usd_per_million ?? price?.inputUsdPerMillion ?? null,
    outputUsdPerMillion: row.output_usd_per_million ?? price?.outputUsdPerMillion ?? null,
    hasEnteredPrice: row.input_usd_per_million !== null || row.output_usd_per_million !== null,
    isDefault: row.is_default === 1,
    createdAt: row.created_at,
  }
}

function withChanges(
  row: ModelConnectionRow,
  input: z.infer<typeof updateModelSchema>,
  secretBox: SecretBox,
): ModelConnectionRow {
  // A stored key belongs to the address it was entered for: it isn't sent to another one that is entered later.
  const isMoved = input.baseUrl !== undefined && input.baseUrl !== row.base_url
  const keptKey = isMoved ? null : row.sealed_key
  return {
    ...row,
    name: input.name ?? row.name,
    model: input.model ?? row.model,
    base_url: input.baseUrl ?? row.base_url,
    sealed_key: input.apiKey === undefined ? keptKey : secretBox.seal(input.apiKey),
    context_tokens: input.contextTokens ?? row.context_tokens,
    input_usd_per_million: changed(input.inputUsdPerMillion, row.input_usd_per_million),
    output_usd_per_million: changed(input.outputUsdPerMillion, row.output_usd_per_million),
    is_default: input.isDefault === undefined ? row.is_default : Number(input.isDefault),
    fallback_ids_json: input.fallbackIds === undefined ? row.fallback_ids_json : fallbacksOf(input.fallbackIds),
    supports_images: input.supportsImages === undefined ? row.supports_images : numberOrNull(input.supportsImages),
  }
}

function fallbacksOf(ids: readonly string[] | undefined): string | null {
  return ids === undefined || ids.length === 0 ? null : JSON.stringify(ids)
}

/** Null is a value here: it removes the entered price. */
function changed(value: number | null | undefined, before: number | null): number | null {
  return value === undefined ? before : value
}

function numberOrNull(value: boolean | null | undefined): number | null {
  return value === null || value === undefined ? null : Number(value)
}

async function testCall(
  model: Omit<UsableModel, 'contextTokens'>,
  options: Pick<ModelsOptions, 'clock' | 'ledger' | 'randomBytes'> & { payer: Payer },
): Promise<z.infer<typeof modelTestSchema>> {
  const startedAt = options.clock.nowMs()
  let reply = ''
  try {
    const request = {
      model: model.client,
      system: 'This is a connectivity test. Reply with the single word: ready',
      messages: [{ role: 'user' as const, content: 'Are you there?' }],
      tools: {},
      // Reasoning models spend tokens before they write; with fewer they would return no text.
      maxOutputTokens: 1024,
      signal: AbortSignal.timeout(testTimeoutMs),
    }
    const id = makeId('usage', options.randomBytes)
    await callPaidModel(
      options.ledger,
      { request, spend: { id, payer: options.payer, kind: 'test', model, inputTokens: testInputTokens } },
      async (part) => {
        if (part.kind === 'block-delta' && part.id.startsWith('text:')) reply += part.text
      },
    )
    return { ok: true, latencyMs: options.clock.nowMs() - startedAt, reply: reply.slice(0, 500), failure: null }
  } catch (error) {
    const nowMs = options.clock.nowMs()
    const { code, message, remedy } = modelFailureOf(error, { nowMs, provider: model.connection.name })
    return { ok: false, latencyMs: nowMs - startedAt, reply: null, failure: { code, message, remedy } }
  }
}
