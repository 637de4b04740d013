import type { ModelConnection } from '@threadbox/protocol/public'

type Provider = ModelConnection['provider']

/** What is known about a model without a request. Null: unknown. */
export type KnownModel = {
  contextTokens: number | null
  supportsImages: boolean
}

/**
 * Context sizes that the providers publish, by prefix of the model's name; the longest matching prefix counts. The list is
 * short, because users can enter other figures, which take precedence.
 */
const known: Partial<Record<Provider, Record<string, number>>> = {
  anthropic: {
    'claude-opus-4-5': 200_000,
    'claude-opus-4-1': 200_000,
    'claude-opus-4': 200_000,
    'claude-sonnet-4-5': 200_000,
    'claude-sonnet-4': 200_000,
    'claude-haiku-4-5': 200_000,
  },
  openai: {
    'gpt-5': 400_000,
    'gpt-5-mini': 400_000,
    'gpt-5-nano': 400_000,
    'gpt-4.1': 1_047_576,
    'gpt-4.1-mini': 1_047_576,
    'gpt-4o': 128_000,
    'gpt-4o-mini': 128_000,
  },
  google: {
    'gemini-2.5-pro': 1_048_576,
    'gemini-2.5-flash': 1_048_576,
    'gemini-2.5-flash-lite': 1_048_576,
  },
}

/** Model families that see images although their provider also serves text-only models. */
const visualFamilies = /llava|vision|-vl\b|gemma3|pixtral|minicpm-v|llama4|qwen[\d.]*vl|mistral-small3/i

export function knownModel(provider: Provider, model: string): KnownModel {
  const table = known[provider] ?? {}
  const prefix = Object.keys(table)
    .filter((candidate) => isVersionOf(model, candidate))
    .sort((a, b) => b.length - a.length)[0]
  const isNamedProvider = provider === 'anthropic' || provider === 'openai' || provider === 'google'
  return {
    contextTokens: prefix === undefined ? null : (table[prefix] ?? null),
    supportsImages: isNamedProvider || visualFamilies.test(model),
  }
}

/** `gpt-5-2025-08-07` is a dated `gpt-5`; `gpt-5-pro` and `claude-opus-4-9` are other models with other prices. */
function isVersionOf(model: string, name: string): boolean {
  const rest = model.startsWith(name) ? model.slice(name.length) : undefined
  return rest === '' || (rest !== undefined && /^-(latest|\d{8}|\d{4}-\d{2}-\d{2})$/.test(rest))
}

/**
 * The context window that is assumed if none is known: small enough for local servers, true for the named providers.
 */
export function assumedContextTokens(provider: Provider): number {
  const assumed: Record<Provider, number> = {
    anthropic: 200_000,
    openai: 128_000,
    google: 128_000,
    'openai-compatible': 32_768,
    ollama: 8_192,
  }
  return assumed[provider]
}
