import type { z } from '@hono/zod-openapi'
import type { discoveredModelSchema } from '@threadbox/protocol/public'
import { z as zod } from 'zod'
import { ollamaAddress, type Provider } from './language-model.ts'

export type DiscoveredModel = z.infer<typeof discoveredModelSchema>

/**
 * Environment variables with a provider's key, in the order in which they are read: the names that the providers
 * document.
 */
export const keyVariables: Record<Provider, readonly string[]> = {
  anthropic: ['ANTHROPIC_API_KEY'],
  openai: ['OPENAI_API_KEY'],
  google: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
  'openai-compatible': [],
  ollama: [],
}

/** The model that is suggested for a key in the environment; the user can enter another one. */
const suggestedModels = {
  anthropic: 'claude-sonnet-4-5',
  openai: 'gpt-5',
  google: 'gemini-2.5-pro',
} as const

/** Ollama responds from memory, and a closed port refuses immediately. A slower response comes from another program. */
const ollamaTimeoutMs = 1500

const tagsSchema = zod.object({ models: zod.array(zod.object({ name: zod.string().min(1).max(200) })) })

export function keyFromEnvironment(
  provider: Provider,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  return keyVariables[provider]
    .map((variable) => environment[variable]?.trim())
    .find((key) => key !== undefined && key !== '')
}

/** Returns what can be connected without entering a key: keys in the server's environment, Ollama on this machine. */
export async function discoverModels(options: {
  environment: Readonly<Record<string, string | undefined>>
  ollamaUrl: string | null
  fetch: typeof fetch
}): Promise<DiscoveredModel[]> {
  const fromEnvironment = (['anthropic', 'openai', 'google'] as const)
    .filter((provider) => keyFromEnvironment(provider, options.environment) !== undefined)
    .map((provider) => ({ provider, model: suggestedModels[provider], baseUrl: null, source: 'environment' as const }))
  return [...fromEnvironment, ...(await findOllama(options))]
}

async function findOllama(options: { ollamaUrl: string | null; fetch: typeof fetch }): Promise<DiscoveredModel[]> {
  const address = ollamaAddress(options.ollamaUrl)
  try {
    const response = await options.fetch(`${address}/api/tags`, {
      signal: AbortSignal.timeout(ollamaTimeoutMs),
      redirect: 'error',
    })
    const parsed = tagsSchema.safeParse(await response.json())
    if (!response.ok || !parsed.success) return []
    return parsed.data.models
      .slice(0, 100)
      .map(({ name }) => ({ provider: 'ollama' as const, model: name, baseUrl: address, source: 'machine' as const }))
  } catch {
    // No response, a late one, or another program than Ollama: the usual case, not a failure.
    return []
  }
}
