/** Memory that was saved, or is being saved. */
export type MemoryWrite = { threadId: string; at: number; bytes: number }
export type HourlyLimits = { threadBytes: number; bytes: number }

export const hourMs = 3_600_000

/**
 * Returns how long to wait until this much memory can be saved so that no hour has more than the limits; 0: it can be
 * now. Memory larger than a limit is saved when nothing else was within an hour, so that the limit delays it and doesn’t
 * leave it out forever. `writes` has those of the last hour, oldest first.
 */
export function budgetWaitMs(options: {
  writes: readonly MemoryWrite[]
  wanted: { threadId: string; bytes: number }
  limits: HourlyLimits
  now: number
}): number {
  const { writes, wanted, limits, now } = options
  const ofThread = writes.filter(({ threadId }) => threadId === wanted.threadId)
  const until = (counted: readonly MemoryWrite[], limit: number) => {
    let left = [...counted]
    let at = now
    while (left.length > 0 && sumOf(left) + wanted.bytes > limit) {
      const [oldest, ...rest] = left
      at = (oldest?.at ?? now) + hourMs
      left = rest
    }
    return Math.max(0, at - now)
  }
  return Math.max(until(ofThread, limits.threadBytes), until(writes, limits.bytes))
}

function sumOf(writes: readonly MemoryWrite[]): number {
  return writes.reduce((sum, { bytes }) => sum + bytes, 0)
}
