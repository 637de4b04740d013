import { makeSerial, waitAtMost } from '@threadbox/concurrency'

/**
 * Runs disk reads in the background. Each can read the names of two whole disks: beside wakes, they would take
 * processors and memory from them. So they run one at a time, while nothing is being woken.
 */
export type BackgroundDiskReads = {
  /** No read begins before this has ended. */
  waking<Result>(wake: () => Promise<Result>): Promise<Result>
  run<Result>(read: () => Promise<Result>): Promise<Result>
}

/** Longest delay of a background read. Without this bound, constant wakes would starve it. */
const longestWaitMs = 30_000

export function makeBackgroundDiskReads(): BackgroundDiskReads {
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
    run: (read) =>
      serial(async () => {
        await untilQuiet()
        return await read()
      }),
  }
}
