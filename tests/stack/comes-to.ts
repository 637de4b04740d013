import { setTimeout as delay } from 'node:timers/promises'

/** Resolves when what was ordered has come to where something is there, or has ended. Looks often: it may not be there for long. */
export async function comesTo(isThere: () => Promise<boolean>, ordered: Promise<unknown>): Promise<void> {
  let isOver = false
  ordered.finally(() => (isOver = true)).catch(() => undefined)
  while (!isOver && !(await isThere())) await delay(2)
}
