/** A rate limit with bursts as an immutable value: the remaining tokens and the time of the last change. */
export type TokenBucket = { tokens: number; updatedAtMs: number }

/** Takes one token; undefined if none is left. A clock that was set back refills nothing. */
export function takeToken(options: {
  bucket: TokenBucket | undefined
  nowMs: number
  perSecond: number
  burst: number
}): TokenBucket | undefined {
  const { bucket, nowMs, perSecond, burst } = options
  const before = bucket ?? { tokens: burst, updatedAtMs: nowMs }
  const elapsedMs = Math.max(0, nowMs - before.updatedAtMs)
  const tokens = Math.min(burst, before.tokens + (elapsedMs / 1000) * perSecond)
  return tokens < 1 ? undefined : { tokens: tokens - 1, updatedAtMs: nowMs }
}
