import { makeDueLoop } from '@threadbox/concurrency'
import type { Logger } from '@threadbox/telemetry'
import { type BackupPast, backupDue } from './backup-due.logic.ts'
import { backupProgramState } from './backup-process.ts'
import type { BackupRuns } from './backup-runs.ts'
import { backupsSetUpAt, readBackupSettings } from './backup-settings.ts'
import { type BackupStatus, backupStatusFile, readBackupStatus } from './backup-status.ts'

/** Starts a backup each day. */
export type BackupSchedule = {
  start(): void
  /** Starts one if it is due. Returns the next due time; null: backups are off or not set up. */
  check(): Promise<number | null>
  /** The next due time, without starting one. */
  nextAt(): Promise<number | null>
  stop(): Promise<void>
}

/** How late a change of the setting or the clock is noticed. */
const checkEveryMs = 60_000

export function makeBackupSchedule(ports: {
  directory: string
  runs: Pick<BackupRuns, 'start' | 'running'>
  settings: { values(): Promise<{ backupDaily: string; timeZone: string }> }
  now(): number
  /** Since the machine started: continues when the clock is set. */
  uptimeMs(): number
  logger: Logger
}): BackupSchedule {
  const { directory, runs, settings, now, uptimeMs, logger } = ports
  let interruptedUpAt: number | undefined
  let scheduledUpAt: number | undefined
  const decide = async () => {
    const isSetUp = (await readBackupSettings(directory))?.isConfirmed === true
    if (!isSetUp) return { isDue: false, nextAt: null }
    const { backupDaily, timeZone } = await settings.values()
    const past = await readPast(directory, runs)
    interruptedUpAt = past.state === 'interrupted' ? (interruptedUpAt ?? uptimeMs()) : undefined
    const sinceScheduledMs = scheduledUpAt === undefined ? null : uptimeMs() - scheduledUpAt
    return backupDue({
      plan: { daily: backupDaily, timeZone },
      past,
      elapsed: { sinceInterruptedMs: uptimeMs() - (interruptedUpAt ?? uptimeMs()), sinceScheduledMs },
      now: now(),
    })
  }
  const check = async () => {
    const { isDue, nextAt } = await decide()
    if (!isDue) return nextAt
    scheduledUpAt = uptimeMs()
    logger.info('a backup is due')
    await runs.start()
    return nextAt
  }
  const loop = makeDueLoop({
    check: async () => (await check()) ?? undefined,
    now,
    minMs: 1000,
    maxMs: checkEveryMs,
    retryMs: checkEveryMs,
    failed: (error) => logger.error({ err: error }, 'a backup could not be started'),
  })
  return { start: loop.start, check, nextAt: async () => (await decide()).nextAt, stop: loop.stop }
}

/** A record that can’t be read stops no backup. */
async function readPast(directory: string, runs: Pick<BackupRuns, 'running'>): Promise<BackupPast> {
  const status = await readBackupStatus(backupStatusFile(directory)).catch(() => undefined)
  return {
    setUpAt: await backupsSetUpAt(directory),
    startedAt: status?.startedAt ?? null,
    succeededAt: status?.succeededAt ?? null,
    state: (await runs.running()) === null ? await stateOf(status?.program ?? null) : 'running',
  }
}

async function stateOf(program: BackupStatus['program']): Promise<BackupPast['state']> {
  if ((await backupProgramState(program)) !== 'interrupted') return 'ended'
  return program?.isRepeated === true ? 'interrupted-again' : 'interrupted'
}
