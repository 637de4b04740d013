import { type DueLoop, makeDueLoop } from '@threadbox/concurrency'
import type { Logger } from '@threadbox/telemetry'
import type { System } from '../../platform/system/system.ts'

/** The longest sleep: a clock that was set is noticed within this time. */
const maxSleepMs = 30_000
/** After a failure, and while something stays due that could not be done. */
const retryMs = 2000

/** Does what is due for runs, one pass at a time. */
export function makeRunLoop(options: {
  /** Whether there is more to do right away. */
  work(): Promise<boolean>
  /** When there is something to do that is known already. */
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
    failed: (error) => logger.error({ err: error }, 'runs could not be looked at, will be tried again'),
  })
}
