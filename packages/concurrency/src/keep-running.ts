import { setTimeout as delay } from 'node:timers/promises'

/** A program that ran this long before it ended is started again immediately: the pause is for one that can’t start. */
const steadyAfterMs = 2000
const firstRetryMs = 50
const lastRetryMs = 2000

/**
 * Runs work that should never end, such as a program, again and again until `signal` aborts: with a longer pause each time
 * it ends soon. `ended` is called before each pause.
 */
export async function keepRunning<How>(options: {
  run: () => Promise<How>
  ended: (how: How, pause: { retryMs: number }) => void
  signal: AbortSignal
}): Promise<void> {
  const { run, ended, signal } = options
  let retryMs = firstRetryMs
  while (!signal.aborted) {
    const startedAt = performance.now()
    const how = await run()
    if (signal.aborted) return
    if (performance.now() - startedAt > steadyAfterMs) retryMs = firstRetryMs
    ended(how, { retryMs })
    await delay(retryMs, undefined, { signal }).catch(() => undefined)
    retryMs = Math.min(2 * retryMs, lastRetryMs)
  }
}
