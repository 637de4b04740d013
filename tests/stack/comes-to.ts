import { setTimeout as delay } from 'node:timers/promises'

/**
 * Resolves when the ordered work has reached a moment; fails if the work ended earlier, because the kill would then
 * miss the moment that the test names. Checks often: the moment can be short.
 */
export async function comesTo(hasReached: () => Promise<boolean>, ordered: Promise<unknown>): Promise<void> {
  let hasEnded = false
  ordered.finally(() => (hasEnded = true)).catch(() => undefined)
  while (!(await hasReached())) {
    // It might have reached the moment and ended since the last check.
    if (hasEnded && !(await hasReached()))
      throw new Error('what was ordered ended before it came to where it is to be hit')
    await delay(2)
  }
}
