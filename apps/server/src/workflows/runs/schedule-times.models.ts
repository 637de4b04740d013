import { Cron } from 'croner'
import { scheduleCronInvalid, scheduleNever, scheduleZoneInvalid } from './runs.errors.ts'

/**
 * When a schedule is due. Times are whole minutes. An hour that the clocks skip: a time in it is due when it would have
 * begun; an hour that comes twice: a fixed time is due the first time only, every few minutes or hours goes on.
 */
export type ScheduleTimes = {
  /** The first times after this one, at most so many. */
  after(at: number, count: number): number[]
  /** Those from `from` up to this one, latest first; of very many the latest 1000. */
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
  // Nicknames such as `@daily` are other words for the same; one way to write it is enough.
  if (cron.trim().split(/\s+/).length !== 5) throw scheduleCronInvalid({ cron })
  try {
    return new Cron(cron, { timezone: timeZone, mode: '5-part', paused: true })
  } catch (cause) {
    throw scheduleCronInvalid({ cron }, { cause })
  }
}

/** Names only: an offset such as `+02:00` knows no daylight saving, and people who write one mean a place. */
function checkZone(timeZone: string): void {
  try {
    if (!/^[A-Za-z]/.test(timeZone)) throw new Error('not a name')
    new Intl.DateTimeFormat('en', { timeZone })
  } catch (cause) {
    throw scheduleZoneInvalid({ timeZone }, { cause })
  }
}
