import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setPriority } from 'node:os'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import type { Logger } from '@threadbox/telemetry'
import { backupProgramState } from './backup-process.ts'
import { confirmedSettings } from './backup-settings.ts'
import {
  type BackupStep,
  backupStatusFile,
  backupSteps,
  changeBackupStatus,
  readBackupStatus,
} from './backup-status.ts'
import { backupAlreadyRunning, backupProgramEnded } from './backups.errors.ts'

/** What a backup that runs has done so far. `null`: another program started it, and it says nothing more. */
export type RunningBackup = {
  step: BackupStep
  startedAt: number
  files: number | null
  bytes: number | null
}

/** Backups that this server starts: each is written, then all are verified, then old ones are pruned. */
export type BackupRuns = {
  /**
   * Returns when it runs. Throws `backup.already-running`, also if a person started one on the machine, and
   * `backup.not-set-up`, `backup.not-confirmed`.
   */
  start(): Promise<void>
  running(): Promise<RunningBackup | null>
  /** Resolves when none that this server started runs. */
  settled(): Promise<void>
  /** Ends what runs; earlier backups are unchanged. */
  stop(): Promise<void>
}

export type BackupProgram = {
  /** The server’s folder. */
  directory: string
  /** What starts the program; the words of its command follow. */
  command: readonly string[]
  environment: NodeJS.ProcessEnv
}

/** Less than the server: no one waits for it. */
const niceness = 10

export function makeBackupRuns(program: BackupProgram, ports: { now(): number; logger: Logger }): BackupRuns {
  const { directory } = program
  const { now, logger } = ports
  const stopping = new AbortController()
  let current: RunningBackup | undefined
  let work: Promise<void> = Promise.resolve()

  const runAll = async () => {
    for (const step of backupSteps) {
      current = { step, startedAt: current?.startedAt ?? now(), files: null, bytes: null }
      const progress = (files: number, bytes: number) => {
        if (current !== undefined) current = { ...current, files, bytes }
      }
      if (!(await runStep(program, { step, progress, signal: stopping.signal, ...ports }))) return
    }
  }
  return {
    start: async () => {
      if (current !== undefined || stopping.signal.aborted) throw backupAlreadyRunning({})
      current = { step: 'run', startedAt: now(), files: 0, bytes: 0 }
      try {
        await confirmedSettings(directory)
        if ((await runningElsewhere(directory)) !== null) throw backupAlreadyRunning({})
      } catch (error) {
        current = undefined
        throw error
      }
      work = runAll()
        .catch((error: unknown) => logger.error({ err: error }, 'a backup could not be followed'))
        .finally(() => {
          current = undefined
        })
    },
    running: async () => current ?? (await runningElsewhere(directory)),
    settled: () => work,
    stop: async () => {
      stopping.abort()
      await work
    },
  }
}

async function runningElsewhere(directory: string): Promise<RunningBackup | null> {
  const status = await readBackupStatus(backupStatusFile(directory)).catch(() => undefined)
  if (status === undefined || (await backupProgramState(status.program)) !== 'running') return null
  return { step: 'run', startedAt: status.startedAt ?? 0, files: null, bytes: null }
}

/** Returns whether it succeeded. A failure is in the record, by the program or, if it could not, by this server. */
async function runStep(
  { directory, command, environment }: BackupProgram,
  options: {
    step: BackupStep
    progress: (files: number, bytes: number) => void
    signal: AbortSignal
    now(): number
    logger: Logger
  },
): Promise<boolean> {
  const { step, progress, signal, now, logger } = options
  const file = backupStatusFile(directory)
  const failedBefore = await failureTime(file)
  const [name = process.execPath, ...words] = command
  const child = spawn(name, [...words, step, ...(step === 'run' ? ['progress'] : [])], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  })
  if (child.pid !== undefined) setPriority(child.pid, niceness)
  const failed = once(child, 'error').then(([error]) => (error as Error).message)
  const closed = once(child, 'close').then(([code, cut]) => ended(code as number | null, cut as string | null))
  const said = text(child.stderr).catch(() => '')
  createInterface(child.stdout).on('line', (line) => {
    const [, files, bytes] = /^progress (\d+) (\d+)$/.exec(line) ?? []
    if (files !== undefined) progress(Number(files), Number(bytes))
    else logger.info({ step }, line)
  })
  const reason = await Promise.race([failed, closed])
  if (reason === undefined) return true
  const output = (await said).trim().slice(-2000)
  logger.error({ step, reason, output }, 'a backup failed')
  // The next start of the server finds it interrupted, and repeats it.
  if (signal.aborted) return false
  if ((await failureTime(file)) === failedBefore) await recordEnd(file, { step, reason: output || reason, at: now() })
  return false
}

function ended(code: number | null, signal: string | null): string | undefined {
  if (code === 0) return undefined
  return code === null ? `it was ended by ${signal}` : `it ended with ${code}`
}

async function failureTime(file: string): Promise<number | null> {
  return await readBackupStatus(file).then(
    ({ failedAt }) => failedAt,
    () => null,
  )
}

async function recordEnd(
  file: string,
  { step, reason, at }: { step: BackupStep; reason: string; at: number },
): Promise<void> {
  const { code, message, remedy, details } = backupProgramEnded({ reason: reason.slice(-300) })
  await changeBackupStatus(file, {
    failedAt: at,
    problem: message,
    failure: { step, code, message, remedy, details },
    program: null,
  })
}
