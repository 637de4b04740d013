import { timeOfBackup } from '@threadbox/backups'
import { isThreadboxError } from '@threadbox/errors'
import type { Backups, BackupFailure as FailureView } from '@threadbox/protocol/public'
import { type Audit, ownerRequired, type Users } from '../../people/public.ts'
import { backupAttention } from './backup-due.logic.ts'
import type { BackupRuns } from './backup-runs.ts'
import type { BackupSchedule } from './backup-schedule.ts'
import { backupsSetUpAt, readBackupSettings } from './backup-settings.ts'
import { type BackupStatus, backupStatusFile, readBackupStatus } from './backup-status.ts'

/** Backups for the owner and admins; others get `auth.owner-required`. */
export type BackupReports = {
  list(userId: string): Promise<Backups>
  /** Throws `backup.already-running`, `backup.not-set-up`, `backup.not-confirmed`. */
  run(userId: string): Promise<Backups>
}

type Ports = {
  directory: string
  runs: Pick<BackupRuns, 'start' | 'running'>
  schedule: Pick<BackupSchedule, 'nextAt'>
  users: Pick<Users, 'administers'>
  audit: Pick<Audit, 'record'>
  now(): number
}

export function makeBackupReports(ports: Ports): BackupReports {
  const requireAdministrator = async (userId: string) => {
    if (!(await ports.users.administers(userId))) throw ownerRequired({})
  }
  return {
    list: async (userId) => {
      await requireAdministrator(userId)
      return await describe(ports)
    },
    run: async (userId) => {
      await requireAdministrator(userId)
      await ports.runs.start()
      await ports.audit.record({ userId, action: 'backup-started', subject: null })
      return await describe(ports)
    },
  }
}

const unset: Backups = {
  state: 'not-set-up',
  place: null,
  backups: [],
  succeededAt: null,
  verifiedAt: null,
  nextAt: null,
  running: null,
  failure: null,
  attention: null,
}

async function describe({ directory, runs, schedule, now }: Ports): Promise<Backups> {
  const settings = await readBackupSettings(directory).catch((error: unknown) => unreadable(error, now()))
  if (settings === undefined) return unset
  if ('step' in settings) return { ...unset, state: 'ready', failure: settings, attention: 'failed' }
  const { place } = settings
  if (!settings.isConfirmed) return { ...unset, state: 'not-confirmed', place }
  const status = await readBackupStatus(backupStatusFile(directory)).catch((error: unknown) => error)
  const known = isStatus(status) ? status : undefined
  const failure = isStatus(status) ? failureOf(status) : unreadable(status, now())
  const succeededAt = known === undefined ? null : succeededAtOf(known)
  const past = { setUpAt: await backupsSetUpAt(directory), succeededAt }
  return {
    state: 'ready',
    place,
    backups: (known?.backups ?? []).map((row) => ({ ...row, at: timeOfBackup(row.name) })),
    succeededAt,
    verifiedAt: known?.verifiedAt ?? null,
    nextAt: await schedule.nextAt(),
    running: await runs.running(),
    failure,
    attention: backupAttention({ hasFailed: failure !== null && failure.step !== 'prune', past, now: now() }),
  }
}

function isStatus(read: unknown): read is BackupStatus {
  return !(read instanceof Error)
}

/** After a record was lost, a verification finds what is in the store. */
function succeededAtOf({ succeededAt, backups }: BackupStatus): number | null {
  const [newest] = backups
  return succeededAt ?? (newest === undefined ? null : timeOfBackup(newest.name))
}

function failureOf({ failure, failedAt }: BackupStatus): FailureView | null {
  return failure === null ? null : { at: failedAt ?? 0, ...failure }
}

function unreadable(error: unknown, at: number): FailureView {
  if (!isThreadboxError(error)) throw error
  const { code, message, remedy, details } = error
  return { at, step: 'record', code, message, remedy, details }
}
