import type { ModelConnection } from '@threadbox/sdk'

export type ProviderKind = ModelConnection['provider']

/** What the app knows about a provider without a request to it. */
export type Provider = {
  kind: ProviderKind
  /** A proper name, the same in every language; `null` for the one that has only a description. */
  brand: string | null
  key: 'required' | 'optional' | 'none'
  url: 'required' | 'optional' | 'none'
  urlExample: string | null
  /** Suggested names. They only help typing: any name can be entered. */
  suggestedModels: readonly string[]
}

export const providers: readonly Provider[] = [
  {
    kind: 'anthropic',
    brand: 'Anthropic',
    key: 'required',
    url: 'optional',
    urlExample: 'https://api.anthropic.com/v1',
    suggestedModels: ['claude-sonnet-4-5', 'claude-opus-4-5', 'claude-haiku-4-5'],
  },
  {
    kind: 'openai',
    brand: 'OpenAI',
    key: 'required',
    url: 'optional',
    urlExample: 'https://api.openai.com/v1',
    suggestedModels: ['gpt-5.1', 'gpt-5', 'gpt-5-mini', 'gpt-4.1'],
  },
  {
    kind: 'google',
    brand: 'Google',
    key: 'required',
    url: 'optional',
    urlExample: 'https://generativelanguage.googleapis.com/v1beta',
    suggestedModels: ['gemini-2.5-pro', 'gemini-2.5-flash'],
  },
  {
    kind: 'ollama',
    brand: 'Ollama',
    key: 'none',
    url: 'optional',
    urlExample: 'http://localhost:11434',
    suggestedModels: ['qwen3', 'gpt-oss:20b', 'llama3.3'],
  },
  {
    kind: 'openai-compatible',
    brand: null,
    key: 'optional',
    url: 'required',
    urlExample: 'http://localhost:8000/v1',
    suggestedModels: [],
  },
]

export function providerOf(kind: ProviderKind): Provider {
  const provider = providers.find((candidate) => candidate.kind === kind)
  if (provider === undefined) throw new TypeError(`No provider of kind ${kind}`)
  return provider
}
