/** Tokens of one request, as the provider counted them. Cached ones are part of the input. */
export type ModelUsage = {
  inputTokens: number
  outputTokens: number
  /** Read from the provider’s cache. */
  cachedInputTokens: number
  /** Written to the provider’s cache. */
  cacheWriteTokens: number
}

export const noUsage: ModelUsage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, cacheWriteTokens: 0 }

export function sumOf(a: ModelUsage, b: ModelUsage): ModelUsage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cachedInputTokens: a.cachedInputTokens + b.cachedInputTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
  }
}
