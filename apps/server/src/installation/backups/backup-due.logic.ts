import { Cron } from 'croner'

export type BackupPlan = {
  /** `HH:MM`; empty: no backup is made on a schedule. */
  daily: string
  timeZone: string
}

/** What is known of earlier backups. Times are of a clock that can be set. */
export type BackupPast = {
  /** When the store was set up. */
  setUpAt: number
  startedAt: number | null
  succeededAt: number | null
  /** `interrupted`: the last one ended without a word; `interrupted-again`: so did the one before it. */
  state: 'ended' | 'running' | 'interrupted' | 'interrupted-again'
}

/** Elapsed times, which don’t depend on a clock. */
export type BackupElapsed = {
  /** Since this server found that the last one was interrupted. */
  sinceInterruptedMs: number
  /** Since this server started a backup on its schedule; null: it has not. */
  sinceScheduledMs: number | null
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
/** A pass of the schedule can be late by this much and still be on time. */
const onTimeMs = 10 * minuteMs
/** Two due times are further apart than this; a clock that was set can bring one back. */
const betweenMs = 12 * hourMs
/** The lease of a program that ended without a word has expired after this. */
const leaseMs = 20 * minuteMs
/** A time further in the future is of a clock that was wrong. */
const wrongClockMs = 2 * dayMs

/**
 * Whether a backup is to be started now, and the next due time. Each due time has one attempt: at that time, or later
 * if the last backup is older than a day, such as after the server was off. An attempt that was interrupted is made once more.
 */
export function backupDue(options: { plan: BackupPlan; past: BackupPast; elapsed: BackupElapsed; now: number }): {
  isDue: boolean
  nextAt: number | null
} {
  const { plan, past, elapsed, now } = options
  if (plan.daily === '') return { isDue: false, nextAt: null }
  const times = timesOf(plan)
  const nextAt = times.nextRun(new Date(now))?.getTime() ?? null
  return { isDue: isDue({ past, elapsed, now }, latestOf(times, now)), nextAt }
}

function isDue(
  { past, elapsed, now }: { past: BackupPast; elapsed: BackupElapsed; now: number },
  dueAt: number | undefined,
): boolean {
  if (dueAt === undefined || past.state === 'running') return false
  const isRepetition = past.state === 'interrupted'
  if (isRepetition && elapsed.sinceInterruptedMs < leaseMs) return false
  if (!isRepetition && elapsed.sinceScheduledMs !== null && elapsed.sinceScheduledMs < betweenMs) return false
  const startedAt = believed(past.startedAt, now)
  if (!isRepetition && startedAt !== null && startedAt >= dueAt) return false
  if (now - dueAt < onTimeMs) return true
  return now - (believed(past.succeededAt, now) ?? past.setUpAt) > dayMs
}

function believed(at: number | null, now: number): number | null {
  return at === null || at > now + wrongClockMs ? null : at
}

/** In an hour that the clocks skip, it is due when that hour would have begun; in one that comes twice, the first time. */
function timesOf({ daily, timeZone }: BackupPlan): Cron {
  const [hour, minute] = daily.split(':').map(Number)
  return new Cron(`${minute} ${hour} * * *`, { timezone: timeZone, mode: '5-part', paused: true })
}

/** The latest due time that has come. */
function latestOf(times: Cron, now: number): number | undefined {
  // What is before a time leaves out that time itself.
  const [latest] = times.previousRuns(1, new Date(Math.floor(now / minuteMs) * minuteMs + minuteMs))
  return latest?.getTime()
}

/** What needs the attention of the owner and admins. */
export type BackupAttention = 'failed' | 'old' | null

/** A backup that is older than this is missing. */
const oldMs = 2 * dayMs

export function backupAttention(options: {
  hasFailed: boolean
  past: Pick<BackupPast, 'setUpAt' | 'succeededAt'>
  now: number
}): BackupAttention {
  const { hasFailed, past, now } = options
  if (hasFailed) return 'failed'
  return now - (past.succeededAt ?? past.setUpAt) > oldMs ? 'old' : null
}
