import type { Logger } from '@threadbox/telemetry'
import { makeNudgedSleep } from '../../platform/system/nudged-sleep.ts'
import type { System } from '../../platform/system/system.ts'

/** Does what is due, then sleeps until something is, or somebody nudges. One pass at a time. */
export type RunLoop = {
  /** One pass now; after the one that is under way, if there is one. */
  pass(): Promise<void>
  nudge(): void
  start(): void
  stop(): Promise<void>
}

/** The longest sleep: a clock that was set is noticed within this time. */
const maxSleepMs = 30_000
/** After a failure, and while something stays due that could not be done. */
const retryMs = 2000

export function makeRunLoop(options: {
  work(): Promise<void>
  /** When there is something to do that is known already. */
  nextAt(): Promise<number | undefined>
  system: Pick<System, 'now'>
  logger: Logger
}): RunLoop {
  const { system, logger } = options
  const stopped = new AbortController()
  const rest = makeNudgedSleep()
  let loop: Promise<void> = Promise.resolve()
  let tail: Promise<void> = Promise.resolve()
  const pass = () => {
    const mine = tail.then(options.work)
    tail = mine.catch(() => undefined)
    return mine
  }
  const delayAfterPass = async () => {
    try {
      await pass()
      const next = (await options.nextAt()) ?? Number.MAX_SAFE_INTEGER
      const delay = next - system.now()
      return delay <= 0 ? retryMs : Math.min(maxSleepMs, delay)
    } catch (error) {
      logger.error({ err: error }, 'runs could not be looked at, will be tried again')
      return retryMs
    }
  }
  const work = async () => {
    while (!stopped.signal.aborted) {
      rest.begin()
      const delay = await delayAfterPass()
      if (!rest.hasNews) await rest.sleep(delay)
    }
  }
  return {
    pass,
    nudge: rest.nudge,
    start: () => {
      loop = work()
    },
    stop: async () => {
      stopped.abort()
      rest.nudge()
      await loop
      await tail
    },
  }
}
