import type { DiscoveredModel, ModelConnection } from '@threadbox/sdk'
import { expect, it } from 'vitest'
import { providerOffers, suggestedModels } from './suggestions.logic.ts'

const discovered: DiscoveredModel[] = [
  { provider: 'ollama', model: 'qwen3:8b', baseUrl: 'http://127.0.0.1:11434', source: 'machine' },
  { provider: 'ollama', model: 'qwen3', baseUrl: 'http://127.0.0.1:11434', source: 'machine' },
  { provider: 'openai', model: 'gpt-5', baseUrl: null, source: 'environment' },
]

it('shows what was found beside its provider and keeps the order', () => {
  const offers = providerOffers(discovered)
  expect(offers.map((offer) => offer.provider.kind)).toEqual(providerOffers([]).map((offer) => offer.provider.kind))
  expect(offers.find((offer) => offer.provider.kind === 'ollama')).toMatchObject({
    found: ['qwen3:8b', 'qwen3'],
    foundAt: { source: 'machine', address: '127.0.0.1:11434' },
  })
  expect(offers.find((offer) => offer.provider.kind === 'openai')?.foundAt).toEqual({
    source: 'environment',
    address: null,
  })
  expect(offers.find((offer) => offer.provider.kind === 'anthropic')?.foundAt).toBeNull()
})

it('suggests found models first, each once, without connected ones', () => {
  const connected = [{ provider: 'ollama', model: 'qwen3' }] as ModelConnection[]
  const names = suggestedModels('ollama', { discovered, connected })
  expect(names[0]).toBe('qwen3:8b')
  expect(names).not.toContain('qwen3')
  expect(new Set(names).size).toBe(names.length)
})

it('suggests nothing for an address that was not queried', () => {
  expect(suggestedModels('openai-compatible', { discovered, connected: [] })).toEqual([])
})
