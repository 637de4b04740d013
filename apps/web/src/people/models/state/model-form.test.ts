import { describe, expect, it } from 'vitest'
import { emptyModelForm, formOfModel, readModelForm } from './model-form.ts'
import { providers } from './provider-catalog.ts'

const noKey = { hasKey: false }

describe('the connect form', () => {
  it('reports each missing field of its provider', () => {
    expect(readModelForm(emptyModelForm('anthropic'), noKey).problems).toEqual({ model: 'missing', apiKey: 'missing' })
    expect(readModelForm(emptyModelForm('openai-compatible'), noKey).problems).toEqual({
      model: 'missing',
      baseUrl: 'missing',
    })
    expect(readModelForm(emptyModelForm('ollama'), noKey).problems).toEqual({ model: 'missing' })
  })

  it('requires no key if one is already known', () => {
    expect(readModelForm({ ...emptyModelForm('openai'), model: 'm' }, { hasKey: true }).problems).toEqual({})
  })

  it.each(['localhost:8000', 'ftp://x/', 'x', 'javascript:alert(1)'])('rejects the address %s', (baseUrl) => {
    const form = { ...emptyModelForm('openai-compatible'), model: 'm', baseUrl }
    expect(readModelForm(form, noKey).problems.baseUrl).toBe('not-a-url')
  })

  it('parses numbers as people write them', () => {
    const { request, problems } = readModelForm(
      {
        ...emptyModelForm('openai'),
        model: ' gpt-5 ',
        apiKey: ' sk-1 ',
        contextTokens: '200 000',
        inputUsdPerMillion: '0,80',
        outputUsdPerMillion: '4.00',
      },
      noKey,
    )
    expect(problems).toEqual({})
    expect(request).toEqual({
      provider: 'openai',
      model: 'gpt-5',
      apiKey: 'sk-1',
      contextTokens: 200_000,
      inputUsdPerMillion: 0.8,
      outputUsdPerMillion: 4,
    })
  })

  it('rejects invalid numbers, too small or too large ones', () => {
    const form = { ...emptyModelForm('ollama'), model: 'm' }
    for (const contextTokens of ['many', '12', '4096.5', '-1']) {
      expect(readModelForm({ ...form, contextTokens }, noKey).problems.contextTokens).toBe('not-a-count')
    }
    expect(readModelForm({ ...form, inputUsdPerMillion: '10001' }, noKey).problems.inputUsdPerMillion).toBe(
      'not-a-price',
    )
  })

  it('leaves empty fields out, so that the server decides', () => {
    expect(readModelForm({ ...emptyModelForm('ollama'), model: 'qwen3' }, noKey).request).toEqual({
      provider: 'ollama',
      model: 'qwen3',
    })
  })

  it('removes an entered price when its field is emptied, and never sends a list price', () => {
    const form = { ...emptyModelForm('ollama'), model: 'qwen3', outputUsdPerMillion: '2' }
    expect(readModelForm(form, { hasKey: false, hasPrice: true }).request).toMatchObject({
      inputUsdPerMillion: null,
      outputUsdPerMillion: 2,
    })
    const model = { inputUsdPerMillion: 3, outputUsdPerMillion: 15, hasEnteredPrice: false, contextTokens: null }
    const listed = formOfModel({ ...connected, ...model })
    expect(readModelForm(listed, noKey).request).not.toHaveProperty('inputUsdPerMillion')
  })
})

it('contains every provider once', () => {
  expect(new Set(providers.map((provider) => provider.kind)).size).toBe(providers.length)
})

const connected = {
  id: 'm1',
  provider: 'ollama' as const,
  name: 'qwen3',
  model: 'qwen3',
  baseUrl: null,
  keySource: 'none' as const,
  supportsImages: false,
  isDefault: true,
  fallbackIds: [],
  createdAt: 0,
}
