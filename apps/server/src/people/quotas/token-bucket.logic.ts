/** Tokens that come back with time, up to `burst`. Each request takes one. */
export type Bucket = { tokens: number; atMs: number }

export type Rate = { perSecond: number; burst: number }

/** The bucket at this time. */
export function refilled(bucket: Bucket | undefined, { perSecond, burst }: Rate, nowMs: number): Bucket {
  if (bucket === undefined) return { tokens: burst, atMs: nowMs }
  const returned = (Math.max(0, nowMs - bucket.atMs) / 1000) * perSecond
  return { tokens: Math.min(burst, bucket.tokens + returned), atMs: nowMs }
}

/** `waitMs`: 0 if a token was taken, else the time until there is one. */
export function taken(bucket: Bucket | undefined, rate: Rate, nowMs: number): { bucket: Bucket; waitMs: number } {
  const present = refilled(bucket, rate, nowMs)
  if (present.tokens >= 1) return { bucket: { ...present, tokens: present.tokens - 1 }, waitMs: 0 }
  return { bucket: present, waitMs: ((1 - present.tokens) / rate.perSecond) * 1000 }
}
