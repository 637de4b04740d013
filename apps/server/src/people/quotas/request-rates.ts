import type { Caller } from '../../platform/http/caller.ts'
import { requestsUsedUp } from './quotas.errors.ts'
import type { MeteredQuota } from './quotas.usecases.ts'
import { type Bucket, type Rate, refilled, taken } from './token-bucket.logic.ts'

type Sender = Pick<Caller, 'userId' | 'apiKeyId'>

/** How many requests people send. Each of their keys, and all their sessions together, have a bucket of their own. */
export type RequestRates = {
  /** Counts a request. Throws `quota.requests-used-up`. */
  count(sender: Sender): Promise<void>
  meter: MeteredQuota
}

/** How many seconds of the limit can be sent in one moment: a page loads much at the same time. */
const burstSeconds = 4
/** How long a limit is used before it is read again. */
const keepLimitMs = 5000
/** With more buckets than this, those that are full are removed: a full one says nothing. */
const maxBuckets = 1000

type Counted = { second: number; count: number; before: number }

export function makeRequestRates(ports: {
  limitOf(userId: string): Promise<number | null>
  /** Elapsed time: the clock can be set. */
  elapsedMs(): number
}): RequestRates {
  const buckets = new Map<string, { bucket: Bucket; rate: Rate }>()
  const limits = new Map<string, { limit: number | null; atMs: number }>()
  const counts = new Map<string, Counted>()
  const limitOf = async (userId: string): Promise<number | null> => {
    const known = limits.get(userId)
    if (known !== undefined && ports.elapsedMs() - known.atMs < keepLimitMs) return known.limit
    const limit = await ports.limitOf(userId)
    if (limits.size >= maxBuckets) limits.clear()
    limits.set(userId, { limit, atMs: ports.elapsedMs() })
    return limit
  }
  const countedOf = (userId: string): Counted => {
    const second = Math.floor(ports.elapsedMs() / 1000)
    const known = counts.get(userId)
    if (known?.second === second) return known
    return { second, count: 0, before: known?.second === second - 1 ? known.count : 0 }
  }
  const usedOf = (userId: string): number => {
    const { count, before } = countedOf(userId)
    return Math.max(count, before)
  }
  const note = (userId: string) => {
    const counted = countedOf(userId)
    if (counts.size >= maxBuckets && !counts.has(userId)) counts.clear()
    counts.set(userId, { ...counted, count: counted.count + 1 })
  }
  return {
    count: async ({ userId, apiKeyId }) => {
      const limit = await limitOf(userId)
      note(userId)
      if (limit === null) return
      const key = `${userId} ${apiKeyId ?? ''}`
      const rate = rateOf(limit)
      const { bucket, waitMs } = taken(buckets.get(key)?.bucket, rate, ports.elapsedMs())
      if (buckets.size >= maxBuckets) removeFull(buckets, ports.elapsedMs())
      buckets.set(key, { bucket, rate })
      if (waitMs === 0) return
      const retryAfterSeconds = Math.ceil(waitMs / 1000)
      throw requestsUsedUp({ quota: 'apiRequestsPerSecond', used: usedOf(userId), limit, retryAfterSeconds })
    },
    meter: { quota: 'apiRequestsPerSecond', read: async (userId) => usedOf(userId) },
  }
}

/** With 0 people could not raise their own limit again, so one request a second is always served. */
function rateOf(limit: number): Rate {
  const perSecond = Math.max(1, limit)
  return { perSecond, burst: perSecond * burstSeconds }
}

function removeFull(buckets: Map<string, { bucket: Bucket; rate: Rate }>, nowMs: number): void {
  for (const [key, { bucket, rate }] of buckets) {
    if (refilled(bucket, rate, nowMs).tokens >= rate.burst) buckets.delete(key)
  }
}
