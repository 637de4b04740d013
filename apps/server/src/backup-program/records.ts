import type { VerifiedBackup, WrittenBackup } from '@threadbox/backups'
import { isThreadboxError, withKnownCause } from '@threadbox/errors'
import { backupProgramState, startTimeOf } from '../installation/backups/backup-process.ts'
import {
  type BackupRow,
  type BackupStatus,
  type BackupStep,
  backupStatusFile,
  changeBackupStatus,
  readBackupStatus,
} from '../installation/backups/backup-status.ts'
import { backupAlreadyRunning, backupFailed } from '../installation/backups/backups.errors.ts'

/** More would not help a reader. */
const mostProblems = 5
const mostLeftOut = 100

/** From here on, others see that a backup is being written. Throws `backup.already-running`. */
export async function recordStart(file: string, startedAt: number): Promise<void> {
  const before = await readBackupStatus(file).catch(() => undefined)
  const state = await backupProgramState(before?.program ?? null)
  if (state === 'running') throw backupAlreadyRunning({})
  const startTime = (await startTimeOf(process.pid)) ?? ''
  const program = { pid: process.pid, startTime, isRepeated: state === 'interrupted' }
  await changeBackupStatus(file, { startedAt, program })
}

export async function recordSuccess(
  { directory }: { directory: string },
  step: BackupStep,
  change: Partial<BackupStatus>,
): Promise<void> {
  await changeBackupStatus(backupStatusFile(directory), ({ failure }) => ({
    ...change,
    failure: failure?.step === step ? null : failure,
  }))
}

/** For those who did not see the program end: the machine page, and metrics. */
export async function recordFailure(
  { directory }: { directory: string },
  { step, cause }: { step: BackupStep; cause: Error },
): Promise<void> {
  const known = withKnownCause(cause)
  const error = isThreadboxError(known) ? known : backupFailed({ reason: cause.message })
  const { code, message, remedy, details } = error
  await changeBackupStatus(backupStatusFile(directory), ({ program }) => ({
    failedAt: Date.now(),
    problem: message,
    failure: { step, code, message, remedy, details },
    program: program?.pid === process.pid ? null : program,
  }))
}

export function rowOf({ name, sizeBytes, leftOut }: WrittenBackup): BackupRow {
  return { name, sizeBytes, verifiedAt: null, problems: [], leftOut: leftOut.slice(0, mostLeftOut) }
}

/** What the store has now. A backup that was read in two ways has the problems of both. */
export function verifiedRows(
  verified: readonly VerifiedBackup[],
  { before, at }: { before: readonly BackupRow[]; at: number },
): BackupRow[] {
  const known = new Map(before.map((row) => [row.name, row]))
  const rows = new Map<string, BackupRow>()
  for (const { name, problems, sizeBytes } of verified) {
    const all = [...(rows.get(name)?.problems ?? []), ...problems].slice(0, mostProblems)
    rows.set(name, { name, sizeBytes, verifiedAt: at, problems: all, leftOut: known.get(name)?.leftOut ?? null })
  }
  return [...rows.values()]
}
