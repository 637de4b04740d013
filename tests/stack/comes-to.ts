import { setTimeout as delay } from 'node:timers/promises'

/**
 * Resolves when what was ordered has come to where something is there; fails when it ended before, because then nothing
 * would be killed where the test says. Looks often: it may not be there for long.
 */
export async function comesTo(isThere: () => Promise<boolean>, ordered: Promise<unknown>): Promise<void> {
  let isOver = false
  ordered.finally(() => (isOver = true)).catch(() => undefined)
  while (!(await isThere())) {
    // It may have come there and ended since that look.
    if (isOver && !(await isThere())) throw new Error('what was ordered ended before it came to where it is to be hit')
    await delay(2)
  }
}
