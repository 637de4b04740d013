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
  /** By default less than the server’s: people wait for that. */
  niceness?: number
}

const usualNiceness = 10

export function makeBackupRuns(program: BackupProgram, ports: { now(): number; logger: Logger }): BackupRuns {
  const { directory } = program
  const { now, logger } = ports
  const stopping = new AbortController()
  let current: RunningBackup | undefined
  let working: Promise<void> = Promise.resolve()

  const follow = (line: string) => {
    const [, files, bytes] = /^progress (\d+) (\d+)$/.exec(line) ?? []
    const step = backupSteps.find((each) => line === `step ${each}`)
    if (current === undefined) return
    if (files !== undefined) current = { ...current, files: Number(files), bytes: Number(bytes) }
    else if (step !== undefined) current = { ...current, step, files: null, bytes: null }
    else logger.info({ step: current.step }, line)
  }
  const work = async () => {
    const failedBefore = await failureTime(directory)
    const failure = await runProgram(program, { follow, signal: stopping.signal })
    if (failure === undefined) return
    logger.error(failure, 'a backup failed')
    // The next start of the server finds it interrupted, and repeats it.
    if (stopping.signal.aborted) return
    const isRecorded = (await failureTime(directory)) !== failedBefore
    if (!isRecorded) await recordEnd(directory, { ...failure, step: current?.step ?? 'run', at: now() })
  }
  return {
    start: async () => {
      if (current !== undefined || stopping.signal.aborted) throw backupAlreadyRunning({})
      current = { step: 'run', startedAt: now(), files: 0, bytes: 0 }
      try {
        await confirmedSettings(directory)
        if ((await startedByHand(directory)) !== null) throw backupAlreadyRunning({})
      } catch (error) {
        current = undefined
        throw error
      }
      working = work()
        .catch((error: unknown) => logger.error({ err: error }, 'a backup could not be followed'))
        .finally(() => {
          current = undefined
        })
    },
    running: async () => current ?? (await startedByHand(directory)),
    settled: () => working,
    stop: async () => {
      stopping.abort()
      await working
    },
  }
}

async function startedByHand(directory: string): Promise<RunningBackup | null> {
  const status = await readBackupStatus(backupStatusFile(directory)).catch(() => undefined)
  if (status === undefined || (await backupProgramState(status.program)) !== 'running') return null
  return { step: 'run', startedAt: status.startedAt ?? 0, files: null, bytes: null }
}

/** Returns why it failed. The program has recorded that, unless it could not. */
async function runProgram(
  { command, environment, niceness = usualNiceness }: BackupProgram,
  { follow, signal }: { follow: (line: string) => void; signal: AbortSignal },
): Promise<{ reason: string; output: string } | undefined> {
  const [name = process.execPath, ...words] = command
  const child = spawn(name, [...words, 'daily'], { env: environment, stdio: ['ignore', 'pipe', 'pipe'], signal })
  if (child.pid !== undefined) setPriority(child.pid, niceness)
  const failed = once(child, 'error').then(([error]) => (error as Error).message)
  const closed = once(child, 'close').then(([code, cut]) => ended(code as number | null, cut as string | null))
  const said = text(child.stderr).catch(() => '')
  createInterface(child.stdout).on('line', follow)
  const reason = await Promise.race([failed, closed])
  return reason === undefined ? undefined : { reason, output: (await said).trim().slice(-2000) }
}

function ended(code: number | null, signal: string | null): string | undefined {
  if (code === 0) return undefined
  return code === null ? `it was ended by ${signal}` : `it ended with ${code}`
}

async function failureTime(directory: string): Promise<number | null> {
  return await readBackupStatus(backupStatusFile(directory)).then(
    ({ failedAt }) => failedAt,
    () => null,
  )
}

async function recordEnd(
  directory: string,
  { step, output, reason, at }: { step: BackupStep; output: string; reason: string; at: number },
): Promise<void> {
  const { code, message, remedy, details } = backupProgramEnded({ reason: (output || reason).slice(-300) })
  await changeBackupStatus(backupStatusFile(directory), {
    failedAt: at,
    problem: message,
    failure: { step, code, message, remedy, details },
    program: null,
  })
}
