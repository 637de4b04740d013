import { makeSerial } from './serial.ts'
import { waitAtMost } from './wait-at-most.ts'

/** Does what is due, then sleeps until something is due or a nudge comes. One pass at a time. */
export type DueLoop = {
  start(): void
  /** There may be something new: ends the sleep, or makes another pass follow the current one. No nudge is lost. */
  nudge(): void
  /** One pass now, after those requested before. Rejects with the failure of that pass. */
  pass(): Promise<void>
  /** Starts no further pass of the loop; resolves when those started or requested have ended. */
  stop(): Promise<void>
}

export type DueLoopOptions = {
  /** Does what is due, and returns the time of what is due next; undefined when nothing is known. */
  check(): Promise<number | undefined>
  now(): number
  /** The shortest sleep, also when a nudge came during the pass. With 0 the next pass then follows immediately. */
  minMs: number
  /** The longest sleep: bounds how late a change of the clock is noticed. */
  maxMs: number
  /** The sleep after a pass that failed. */
  retryMs: number
  failed(error: unknown): void
}

export function makeDueLoop(options: DueLoopOptions): DueLoop {
  const { minMs, maxMs, retryMs } = options
  const stopped = new AbortController()
  const serial = makeSerial()
  let nudged = Promise.withResolvers<void>()
  let hasNews = false
  let loop: Promise<void> = Promise.resolve()
  const nudge = () => {
    hasNews = true
    nudged.resolve()
  }
  const delayAfterPass = async () => {
    try {
      const nextAt = await serial(options.check)
      const untilNextMs = nextAt === undefined ? maxMs : nextAt - options.now()
      return Math.max(minMs, Math.min(maxMs, untilNextMs))
    } catch (error) {
      options.failed(error)
      return retryMs
    }
  }
  const run = async () => {
    while (!stopped.signal.aborted) {
      hasNews = false
      const delayMs = await delayAfterPass()
      if (hasNews && minMs === 0) continue
      nudged = Promise.withResolvers()
      await waitAtMost(hasNews ? minMs : delayMs, { work: nudged.promise, signal: stopped.signal })
    }
  }
  return {
    start: () => {
      loop = run()
    },
    nudge,
    pass: async () => void (await serial(options.check)),
    stop: async () => {
      stopped.abort()
      await loop
      await serial.settled()
    },
  }
}
