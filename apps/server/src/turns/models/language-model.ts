import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { ModelConnection } from '@threadbox/protocol/public'
import type { LanguageModel } from 'ai'

export type Provider = ModelConnection['provider']

/** Each provider's address if the connected model has none. */
export type ProviderAddresses = Readonly<Record<Exclude<Provider, 'openai-compatible'>, string>>

export const defaultBaseUrls: ProviderAddresses = {
  anthropic: 'https://api.anthropic.com/v1',
  openai: 'https://api.openai.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
  ollama: 'http://127.0.0.1:11434',
}

/**
 * Creates the client of a connected model. OpenAI is used over Chat Completions, so that the complete history is in
 * every request and no later step needs anything that the provider stored.
 */
export function languageModelOf(connection: {
  provider: Provider
  model: string
  baseUrl: string | null
  apiKey: string | null
}): LanguageModel {
  const { provider, model } = connection
  const apiKey = connection.apiKey ?? 'none'
  switch (provider) {
    case 'anthropic':
      return createAnthropic({ apiKey, baseURL: connection.baseUrl ?? defaultBaseUrls.anthropic })(model)
    case 'openai':
      return createOpenAI({ apiKey, baseURL: connection.baseUrl ?? defaultBaseUrls.openai }).chat(model)
    case 'google':
      return createGoogleGenerativeAI({ apiKey, baseURL: connection.baseUrl ?? defaultBaseUrls.google })(model)
    case 'openai-compatible':
    case 'ollama':
      return createOpenAICompatible({
        name: 'openai-compatible',
        baseURL: compatibleUrl(connection.baseUrl ?? defaultBaseUrls.ollama, provider),
        includeUsage: true,
        ...(connection.apiKey === null ? {} : { apiKey: connection.apiKey }),
      })(model)
  }
}

/** Ollama is recognized by its default address; its OpenAI-compatible API is below `/v1`. */
function compatibleUrl(baseUrl: string, provider: Provider): string {
  const trimmed = baseUrl.replace(/\/+$/, '')
  return provider === 'ollama' && !trimmed.endsWith('/v1') ? `${trimmed}/v1` : trimmed
}

export function ollamaAddress(baseUrl: string | null): string {
  return (baseUrl ?? defaultBaseUrls.ollama).replace(/\/+$/, '').replace(/\/v1$/, '')
}
