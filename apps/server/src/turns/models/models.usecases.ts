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
import type { TurnEvents } from '../turns.events.ts'
import { type DiscoveredModel, discoverModels, keyFromEnvironment, keyVariables } from './discover.ts'
import { assumedContextTokens, knownModel } from './known-models.logic.ts'
import { defaultBaseUrls, languageModelOf, type Provider, type ProviderAddresses } from './language-model.ts'
import { callModel } from './model-call.ts'
import { modelFailureOf } from './model-failure.logic.ts'
import { modelAddressMissing, modelKeyMissing, modelKeyNotForAddress, modelNotFound } from './models.errors.ts'
import type { ModelStore } from './models.store.ts'
import type { ModelConnectionRow } from './models.table.ts'

/** Seals values with the installation's master key. `open` throws for a value that another key sealed. */
export type SecretBox = { seal(plain: string): string; open(sealed: string): string }

/** A connected model's client with what is known, or assumed, about it. */
export type UsableModel = {
  connection: ModelConnection
  client: LanguageModel
  contextTokens: number
}

export type Models = {
  list(): Promise<ModelConnection[]>
  /** Throws `model.key-missing`, `model.address-missing`. */
  connect(input: z.infer<typeof connectModelSchema>): Promise<ModelConnection>
  update(id: string, input: z.infer<typeof updateModelSchema>): Promise<ModelConnection>
  disconnect(id: string): Promise<void>
  /** Makes one real call with one short question. */
  test(id: string): Promise<z.infer<typeof modelTestSchema>>
  discover(): Promise<DiscoveredModel[]>
  /** The thread's own model if it still exists, otherwise the default; undefined when no model is connected. */
  usable(modelId: string | null): Promise<UsableModel | undefined>
}

export type ModelsOptions = {
  store: ModelStore
  secretBox: SecretBox
  events: Pick<Events<TurnEvents>, 'emit'>
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

export function makeModels(options: ModelsOptions): Models {
  const { store, secretBox, clock } = options
  const keys = { environment: options.environment, ownAddresses: options.ownAddresses ?? defaultBaseUrls }
  const view = (row: ModelConnectionRow) => viewOf(row, keys)

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
    if (variable === undefined || view(row).keySource !== 'none') return undefined
    const named = { provider: providerNames[provider], variable }
    const hasKeyForOwnAddress = keyFromEnvironment(provider, keys.environment) !== undefined
    return hasKeyForOwnAddress ? modelKeyNotForAddress(named) : modelKeyMissing(named)
  }

  const check = (row: ModelConnectionRow) => {
    const missing = missingIn(row)
    if (missing !== undefined) throw missing
  }

  return {
    list: async () => (await store.list()).map(view),
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
        created_at: clock.nowMs(),
      }
      check(row)
      await store.put(row)
      await options.events.emit('model-connected', { name: row.name })
      return view(row)
    },
    update: async (id, input) => {
      const row = withChanges(await find(id), input, secretBox)
      check(row)
      await store.put(row)
      return view(row)
    },
    disconnect: async (id) => {
      if (!(await store.delete(id))) throw modelNotFound({})
    },
    test: async (id) => {
      const row = await find(id)
      const missing = missingIn(row)
      if (missing !== undefined) {
        const { code, message, remedy } = missing
        return { ok: false, latencyMs: 0, reply: null, failure: { code, message, remedy } }
      }
      return await testCall(clientOf(row), { name: row.name, clock })
    },
    discover: () => discoverModels({ environment: keys.environment, ollamaUrl: options.ollamaUrl, fetch }),
    usable: async (modelId) => {
      const own = modelId === null ? undefined : await store.find(modelId)
      const row = own ?? (await store.findDefault())
      if (row === undefined) return undefined
      const connection = view(row)
      const contextTokens = connection.contextTokens ?? assumedContextTokens(connection.provider)
      return { connection, client: clientOf(row), contextTokens }
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

function viewOf(row: ModelConnectionRow, keys: KeySources): ModelConnection {
  const provider = row.provider as Provider
  const known = knownModel(provider, row.model)
  const environmentKey = environmentKeyOf(row, keys)
  return {
    id: row.id,
    provider,
    name: row.name,
    model: row.model,
    baseUrl: row.base_url,
    keySource: row.sealed_key !== null ? 'stored' : environmentKey === undefined ? 'none' : 'environment',
    contextTokens: row.context_tokens ?? known.contextTokens,
    supportsImages: row.supports_images === null ? known.supportsImages : row.supports_images === 1,
    inputUsdPerMillion: row.input_usd_per_million ?? known.inputUsdPerMillion,
    outputUsdPerMillion: row.output_usd_per_million ?? known.outputUsdPerMillion,
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
    input_usd_per_million: input.inputUsdPerMillion ?? row.input_usd_per_million,
    output_usd_per_million: input.outputUsdPerMillion ?? row.output_usd_per_million,
    is_default: input.isDefault === undefined ? row.is_default : Number(input.isDefault),
    supports_images: input.supportsImages === undefined ? row.supports_images : numberOrNull(input.supportsImages),
  }
}

function numberOrNull(value: boolean | null | undefined): number | null {
  return value === null || value === undefined ? null : Number(value)
}

async function testCall(
  client: LanguageModel,
  options: { name: string; clock: { nowMs(): number } },
): Promise<z.infer<typeof modelTestSchema>> {
  const startedAt = options.clock.nowMs()
  let reply = ''
  try {
    await callModel(
      {
        model: client,
        system: 'This is a connectivity test. Reply with the single word: ready',
        messages: [{ role: 'user', content: 'Are you there?' }],
        tools: {},
        // Reasoning models spend tokens before they write; with fewer they would return no text.
        maxOutputTokens: 1024,
        signal: AbortSignal.timeout(testTimeoutMs),
      },
      async (part) => {
        if (part.kind === 'block-delta' && part.id.startsWith('text:')) reply += part.text
      },
    )
    return { ok: true, latencyMs: options.clock.nowMs() - startedAt, reply: reply.slice(0, 500), failure: null }
  } catch (error) {
    const nowMs = options.clock.nowMs()
    const { code, message, remedy } = modelFailureOf(error, { nowMs, provider: options.name })
    return { ok: false, latencyMs: nowMs - startedAt, reply: null, failure: { code, message, remedy } }
  }
}
