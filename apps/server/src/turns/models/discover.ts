import type { z } from '@hono/zod-openapi'
import type { discoveredModelSchema } from '@threadbox/protocol/public'
import { z as zod } from 'zod'
import { ollamaAddress, type Provider } from './language-model.ts'

export type DiscoveredModel = z.infer<typeof discoveredModelSchema>

/** Variables that carry a key, per provider, in the order they are looked at: the names the providers document. */
export const keyVariables: Record<Provider, readonly string[]> = {
  anthropic: ['ANTHROPIC_API_KEY'],
  openai: ['OPENAI_API_KEY'],
  google: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
  'openai-compatible': [],
  ollama: [],
}

/** What a key in the environment is offered with; the person can type another model. */
const suggestedModels = {
  anthropic: 'claude-sonnet-4-5',
  openai: 'gpt-5',
  google: 'gemini-2.5-pro',
} as const

/** Ollama answers from memory; a machine without one refuses at once. More means something else has the port. */
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

/** What could be connected without typing a key: keys in the server's environment, Ollama on this machine. */
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
    // Nothing answers there, or not in time, or something that is not Ollama: the ordinary case, not a failure.
    return []
  }
}
