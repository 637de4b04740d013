import { makeSerial, waitAtMost } from '@threadbox/concurrency'

/**
 * Looks at disks that nobody waits for. Each may read the names of two whole disks: beside wakes they would take
 * the processors and the memory that those who wake need. So they come one at a time, and when nothing is being woken.
 */
export type QuietLooks = {
  /** No look begins before this has ended. */
  waking<Result>(wake: () => Promise<Result>): Promise<Result>
  look<Result>(look: () => Promise<Result>): Promise<Result>
}

/** So long a look waits for a quiet moment; where sandboxes are woken all the time there is none. */
const longestWaitMs = 30_000

export function makeQuietLooks(): QuietLooks {
  const serial = makeSerial()
  let quiet = Promise.withResolvers<void>()
  let wakes = 0
  const untilQuiet = async () => {
    if (wakes > 0) await waitAtMost(longestWaitMs, { work: quiet.promise })
  }
  return {
    waking: async (wake) => {
      if (wakes === 0) quiet = Promise.withResolvers()
      wakes += 1
      try {
        return await wake()
      } finally {
        wakes -= 1
        if (wakes === 0) quiet.resolve()
      }
    },
    look: (look) =>
      serial(async () => {
        await untilQuiet()
        return await look()
      }),
  }
}
