import { randomBytes } from 'node:crypto'
import { makeLogger } from '@threadbox/telemetry'
import { type ModelServer, startModelServer } from '@threadbox/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openMigrated } from '../../migrated.test-utils.ts'
import { type OpenDatabase, tablesOf } from '../../platform/database/database.ts'
import { type Events, makeEvents } from '../../platform/events/events.ts'
import { makeSecretBox } from '../../platform/secrets/secret-box.ts'
import { tablesIn } from '../../tables.test-utils.ts'
import { makeLedger } from '../spending/ledger.ts'
import { makeUsageStore } from '../spending/usage.store.ts'
import type { UsageTables } from '../spending/usage.table.ts'
import type { TurnEvents } from '../turns.events.ts'
import { knownModel } from './known-models.logic.ts'
import { makeModelStore } from './models.store.ts'
import type { ModelTables } from './models.table.ts'
import { type Models, makeModels } from './models.usecases.ts'

let open: OpenDatabase
let server: ModelServer
let environment: Record<string, string>
let models: Models
let events: Events<TurnEvents>
let now = 1_800_000_000_000
beforeEach(async () => {
  open = await openMigrated()
  server = await startModelServer()
  environment = {}
  events = makeEvents<TurnEvents>(makeLogger({ process: 'test', level: 'fatal' }))
  models = makeModels({
    store: makeModelStore(tablesOf<ModelTables>(open.database)),
    secretBox: makeSecretBox(randomBytes(32)),
    events,
    ledger: makeLedger({
      store: makeUsageStore(tablesOf<UsageTables>(open.database)),
      limitsOf: async () => ({ limits: [], timeZone: 'UTC', allowsUnpriced: true }),
      system: { now: () => now },
    }),
    environment,
    // The order by age is tested, so no two are created in the same millisecond.
    clock: { nowMs: () => ++now },
    randomBytes: (count) => randomBytes(count),
    ollamaUrl: server.baseUrls.ollama,
    ownAddresses: server.baseUrls,
  })
})
afterEach(async () => {
  await server.close()
  await open.close()
})

const anthropic = () => ({
  provider: 'anthropic' as const,
  model: 'claude-sonnet-4-5',
  baseUrl: server.baseUrls.anthropic,
})

describe('connecting a model', () => {
  it('rejects a provider without its key and a server without its address, naming what is missing', async () => {
    await expect(models.connect(anthropic())).rejects.toMatchObject({ code: 'model.key-missing' })
    await expect(models.connect({ provider: 'openai-compatible', model: 'x' })).rejects.toMatchObject({
      code: 'model.address-missing',
    })
    expect(await models.list()).toEqual([])
  })

  it('keeps the key sealed: neither the list nor the database shows it', async () => {
    const connection = await models.connect({ ...anthropic(), apiKey: 'secret-key-123' })
    expect(connection).toMatchObject({ keySource: 'stored', isDefault: true, name: 'claude-sonnet-4-5' })
    expect(JSON.stringify(await models.list())).not.toContain('secret-key-123')
    const rows = await tablesIn(open).selectFrom('model_connections').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain('secret-key-123')
  })

  it('sees images if its name says so, unless the user set otherwise', async () => {
    const server2 = { provider: 'openai-compatible' as const, baseUrl: server.baseUrls['openai-compatible'] }
    const { id, ...first } = await models.connect({ ...server2, model: 'house-model' })
    expect(first.supportsImages).toBe(false)
    expect((await models.update(id, { supportsImages: true })).supportsImages).toBe(true)
    expect((await models.update(id, { name: 'Ours' })).supportsImages).toBe(true)
    expect((await models.update(id, { supportsImages: null })).supportsImages).toBe(false)
    expect(await models.connect({ ...server2, model: 'llava', supportsImages: false })).toMatchObject({
      supportsImages: false,
    })
  })

  it('takes the key from the environment when none is entered', async () => {
    environment.ANTHROPIC_API_KEY = 'from-environment'
    const { id, keySource } = await models.connect(anthropic())
    expect(keySource).toBe('environment')
    server.reply({ text: 'ready' })
    expect(await models.test(id, 'u-1')).toMatchObject({ ok: true, reply: 'ready' })
    expect(server.requests[0]?.headers['x-api-key']).toBe('from-environment')
    const paid = await tablesIn(open).selectFrom('model_usage').selectAll().execute()
    expect(paid).toMatchObject([{ kind: 'test', user_id: 'u-1', thread_id: null, input_tokens: 10, output_tokens: 5 }])
  })

  it('sends the key from the environment to the provider’s own address and to no other', async () => {
    environment.ANTHROPIC_API_KEY = 'from-environment'
    await using elsewhere = await startModelServer()
    const other = { ...anthropic(), baseUrl: elsewhere.baseUrls.anthropic }
    await expect(models.connect(other)).rejects.toMatchObject({ code: 'model.key-not-for-address' })
    const { id } = await models.connect(anthropic())
    await expect(models.update(id, { baseUrl: other.baseUrl })).rejects.toMatchObject({
      code: 'model.key-not-for-address',
    })
    // A model that an older version stored at another address.
    await tablesIn(open)
      .updateTable('model_connections')
      .set({ base_url: other.baseUrl })
      .where('id', '=', id)
      .execute()
    expect(await models.list()).toMatchObject([{ keySource: 'none' }])
    expect(await models.test(id, 'u-1')).toMatchObject({ ok: false, failure: { code: 'model.key-not-for-address' } })
    expect(elsewhere.requests).toEqual([])
    const withKey = await models.update(id, { apiKey: 'for-elsewhere' })
    expect(withKey).toMatchObject({ keySource: 'stored' })
    elsewhere.reply({ text: 'ready' })
    expect(await models.test(id, 'u-1')).toMatchObject({ ok: true })
    expect(elsewhere.requests[0]?.headers['x-api-key']).toBe('for-elsewhere')
  })

  it('has one default at a time; the oldest replaces a deleted default', async () => {
    const first = await models.connect({ ...anthropic(), apiKey: 'a' })
    const second = await models.connect({ ...anthropic(), apiKey: 'b', isDefault: true })
    expect((await models.list()).map(({ id, isDefault }) => [id, isDefault])).toEqual([
      [first.id, false],
      [second.id, true],
    ])
    await models.disconnect(second.id)
    expect((await models.usable(null))?.connection.id).toBe(first.id)
    expect((await models.usable(second.id))?.connection.id).toBe(first.id)
    await expect(models.disconnect(second.id)).rejects.toMatchObject({ code: 'model.not-found' })
  })

  it('does not send a stored key to another address that is entered later', async () => {
    const { id } = await models.connect({ ...anthropic(), apiKey: 'secret' })
    await expect(models.update(id, { baseUrl: 'https://elsewhere.example/v1' })).rejects.toMatchObject({
      code: 'model.key-missing',
    })
    const renamed = await models.update(id, { name: 'Mine', inputUsdPerMillion: 1 })
    expect(renamed).toMatchObject({ name: 'Mine', inputUsdPerMillion: 1, keySource: 'stored' })
  })

  it('emits an event', async () => {
    const emitted: string[] = []
    events.on('model-connected', ({ name }) => void emitted.push(name))
    await models.connect({ ...anthropic(), apiKey: 'a' })
    expect(emitted).toEqual(['claude-sonnet-4-5'])
  })
})

describe('Test', () => {
  it('makes one real call and describes the failure', async () => {
    const { id } = await models.connect({ ...anthropic(), apiKey: 'bad' })
    server.reply({ failure: 'wrong-key' }, { text: 'ready' })
    const refused = await models.test(id, 'u-1')
    expect(refused).toMatchObject({ ok: false, reply: null, failure: { code: 'wrong-key' } })
    expect(refused.failure?.message).toContain('rejected the API key')
    expect(await models.test(id, 'u-1')).toMatchObject({ ok: true, reply: 'ready', failure: null })
    expect(server.requests).toHaveLength(2)
  })

  it('reports that the address does not respond', async () => {
    const { id } = await models.connect({ provider: 'openai-compatible', model: 'x', baseUrl: 'http://127.0.0.1:9/v1' })
    expect(await models.test(id, 'u-1')).toMatchObject({ ok: false, failure: { code: 'network' } })
  })
})

describe('discovery', () => {
  it('finds Ollama on the machine with its models, and providers whose key is in the environment', async () => {
    expect(await models.discover()).toEqual([])
    server.ollamaModels = ['llama3.2:3b', 'qwen3:8b']
    environment.GEMINI_API_KEY = 'g'
    expect(await models.discover()).toMatchObject([
      { provider: 'google', source: 'environment' },
      { provider: 'ollama', model: 'llama3.2:3b', source: 'machine', baseUrl: server.baseUrls.ollama },
      { provider: 'ollama', model: 'qwen3:8b', source: 'machine' },
    ])
    const discovered = (await models.discover())[1]
    const { id } = await models.connect({
      provider: 'ollama',
      model: discovered?.model ?? '',
      baseUrl: discovered?.baseUrl ?? '',
    })
    server.reply({ text: 'ready' })
    expect(await models.test(id, 'u-1')).toMatchObject({ ok: true })
  })
})

describe('prices of a model', () => {
  it('are those of the list until others are entered, and again when these are removed', async () => {
    const listed = { inputUsdPerMillion: 3, outputUsdPerMillion: 15, hasEnteredPrice: false }
    const { id, ...model } = await models.connect({ ...anthropic(), apiKey: 'key' })
    expect(model).toMatchObject(listed)
    const entered = { inputUsdPerMillion: 1, outputUsdPerMillion: 15, hasEnteredPrice: true }
    expect(await models.update(id, { inputUsdPerMillion: 1 })).toMatchObject(entered)
    expect(await models.update(id, { name: 'Other' })).toMatchObject(entered)
    expect(await models.update(id, { inputUsdPerMillion: null })).toMatchObject(listed)
  })
})

describe('known data of a model', () => {
  it('applies to its dated versions, and not to other models', () => {
    expect(knownModel('openai', 'gpt-5-2025-08-07')).toMatchObject({ contextTokens: 400_000 })
    expect(knownModel('openai', 'gpt-5-pro')).toMatchObject({ contextTokens: null })
    expect(knownModel('anthropic', 'claude-sonnet-4-5-20250929')).toMatchObject({ contextTokens: 200_000 })
    expect(knownModel('ollama', 'llama3.2:3b')).toEqual({ contextTokens: null, supportsImages: false })
    expect(knownModel('ollama', 'llama3.2-vision')).toMatchObject({ supportsImages: true })
  })
})
