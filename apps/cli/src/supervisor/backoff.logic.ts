const firstDelayMs = 100
const longestDelayMs = 30_000
/** A process that ran this long did not fail at startup: the next restart is quick again. */
const settledAfterMs = 60_000

export type Restarts = { failures: number }

/** The wait before a restart: a tenth of a second, doubled with each quick failure. */
export function delayAfterEnd(options: { restarts: Restarts; ranMs: number }): { delayMs: number; restarts: Restarts } {
  const failures = options.ranMs >= settledAfterMs ? 0 : options.restarts.failures
  return {
    delayMs: Math.min(firstDelayMs * 2 ** failures, longestDelayMs),
    restarts: { failures: Math.min(failures + 1, 10) },
  }
}
