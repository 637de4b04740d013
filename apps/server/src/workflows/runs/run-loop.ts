import { type DueLoop, makeDueLoop } from '@threadbox/concurrency'
import type { Logger } from '@threadbox/telemetry'
import type { System } from '../../platform/system/system.ts'

/** The longest sleep: a changed clock is noticed within this time. */
const maxSleepMs = 30_000
/** Delay after a failure, and while something due could not be done. */
const retryMs = 2000

/** Does due work for runs, one pass at a time. */
export function makeRunLoop(options: {
  /** Does one pass. True if there is more to do immediately. */
  work(): Promise<boolean>
  /** The time of the next known work. */
  nextAt(): Promise<number | undefined>
  system: Pick<System, 'now'>
  logger: Logger
}): DueLoop {
  const { system, logger } = options
  return makeDueLoop({
    check: async () => {
      const isMoreDue = await options.work()
      const next = await options.nextAt()
      const now = system.now()
      if (isMoreDue) return now
      return next !== undefined && next <= now ? now + retryMs : next
    },
    now: system.now,
    minMs: 0,
    maxMs: maxSleepMs,
    retryMs,
    failed: (error) => logger.error({ err: error }, 'due runs could not be processed, will be tried again'),
  })
}
