import { Cron } from 'croner'
import { scheduleCronInvalid, scheduleNever, scheduleZoneInvalid } from './runs.errors.ts'

/**
 * The due times of a schedule, in whole minutes. A time in an hour that the clocks skip is due when that hour would
 * have begun. In an hour that comes twice, a fixed time is due only the first time; intervals of minutes or hours
 * continue.
 */
export type ScheduleTimes = {
  /** The first `count` times after `at`. */
  after(at: number, count: number): number[]
  /** The times from `from` to `at`, latest first; at most the latest 1000. */
  upTo(at: number, from: number): number[]
}

const minuteMs = 60_000
const maxCounted = 1000

/** Throws `schedule.time-zone-invalid`, `schedule.cron-invalid`. */
export function makeScheduleTimes({ cron, timeZone }: { cron: string; timeZone: string }): ScheduleTimes {
  checkZone(timeZone)
  const pattern = parse(cron, timeZone)
  return {
    after: (at, count) => pattern.nextRuns(count, new Date(at)).map((date) => date.getTime()),
    upTo: (at, from) => {
      const found: number[] = []
      let before = Math.floor(at / minuteMs) * minuteMs + minuteMs
      while (found.length < maxCounted) {
        const [last] = pattern.previousRuns(1, new Date(before))
        if (last === undefined || last.getTime() < from || last.getTime() >= before) break
        before = last.getTime()
        found.push(before)
      }
      return found
    },
  }
}

/** Throws as {@link makeScheduleTimes} does, and `schedule.never-due`. */
export function checkSchedule(plan: { cron: string; timeZone: string }, now: number): void {
  if (makeScheduleTimes(plan).after(now, 1).length === 0) throw scheduleNever({ cron: plan.cron })
}

function parse(cron: string, timeZone: string): Cron {
  // Nicknames such as `@daily` are synonyms; one notation is enough.
  if (cron.trim().split(/\s+/).length !== 5) throw scheduleCronInvalid({ cron })
  try {
    return new Cron(cron, { timezone: timeZone, mode: '5-part', paused: true })
  } catch (cause) {
    throw scheduleCronInvalid({ cron }, { cause })
  }
}

/** Accepts names only: an offset such as `+02:00` has no daylight saving, and people who write one mean a place. */
function checkZone(timeZone: string): void {
  try {
    if (!/^[A-Za-z]/.test(timeZone)) throw new Error('not a name')
    new Intl.DateTimeFormat('en', { timeZone })
  } catch (cause) {
    throw scheduleZoneInvalid({ timeZone }, { cause })
  }
}
