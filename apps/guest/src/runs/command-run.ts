import { chownSync, closeSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { runs } from '@threadbox/protocol/guest'
import { freshRandom } from '../init/random.ts'
import type { ProcessExit } from '../launch/launcher.ts'
import { readPipe } from '../launch/pipe-reader.ts'
import type { SandboxUser } from '../launch/users.ts'
import { endFamily, membersOf, type ProcessFamily } from '../processes/process-family.ts'
import { commandLine, type ProcessEntry } from '../processes/process-table.ts'
import type { OutputLog } from './output-log.ts'
import { makeRunRecord, plainEnd, type Run, type RunRecord, type StopCause, viewOf } from './run.ts'
import { parseSavedState, type SessionState, sessionScript, shellBody } from './session-script.ts'
import type { SessionCopy, SessionStore } from './session-store.ts'
import type { WaitingShell } from './shell-pool.ts'

export type CommandRequest = {
  key: string
  command: string
  cwd: string
  envs: Record<string, string>
  timeoutMs: number
}

/** What a command run needs to know of the rest of the guest. */
export type CommandDependencies = {
  shell: WaitingShell
  session: SessionCopy
  sessions: SessionStore
  user: SandboxUser
  envVars: Record<string, string>
  log: OutputLog
  libraryPath: string
  scratchDirectory: string
  /** In words, what the memory watchdog ended of this family; undefined when nothing. */
  memoryVerdict(family: ProcessFamily): string | undefined
}

export type CommandRun = Run & { readonly pid: number; readonly family: ProcessFamily }

/** Saved state larger than this is not kept: it would be read again by every following command. */
const stateLimitBytes = 16 * 1024 * 1024
/** What is in the pipe when the shell ends is the command's; a background process may go on writing for ever. */
const drainLimitBytes = 1024 * 1024

/**
 * Gives a waiting shell its script and follows it to its end. The run ends when the shell does, not when the last
 * process lets go of the output: what a background process prints later is added to the run until it is forgotten.
 */
export function startCommandRun(request: CommandRequest, dependencies: CommandDependencies): CommandRun {
  const { shell, log } = dependencies
  const startedAt = performance.now()
  const record = makeRunRecord({ key: request.key, log })
  const family: ProcessFamily = { root: shell.pid, mark: request.key }
  let disposed = false
  const reader = readPipe({
    descriptor: shell.stdout,
    onData: (chunk) => {
      if (disposed) return
      log.append(chunk)
      if (log.isFull) reader.pause()
      record.changed()
    },
    onEnd: () => undefined,
  })
  log.onRoom(() => reader.resume())
  const handover = writeHandover(request, dependencies)
  sendScriptPath(shell, handover)

  let stopCause: StopCause | undefined
  const stop = async (cause: StopCause) => {
    if (record.end === undefined) stopCause ??= cause
    await endFamily(family)
    await record.whenEnded
  }
  const timeout =
    request.timeoutMs > 0 ? setTimeout(() => void stop(runs.EndCause.TIMEOUT), request.timeoutMs) : undefined
  const follow = async () => {
    const exit = await shell.exit
    clearTimeout(timeout)
    const state = dependencies.sessions.commit(dependencies.session, takeSaved(handover))
    while (!reader.drain(drainLimitBytes) && log.isFull) await roomIn(record)
    const stillRunning = membersOf(family).map(describeProcess)
    record.finish({
      ...plainEnd(causeOf(exit, stopCause)),
      ...exitFields(exit),
      ...memoryFields(dependencies.memoryVerdict(family)),
      cwd: cwdText(state ?? dependencies.session.state, dependencies),
      outputSize: log.size,
      durationMs: performance.now() - startedAt,
      stillRunning,
    })
  }
  void follow()
  return Object.assign(viewOf(record), {
    pid: shell.pid,
    family,
    stop,
    dispose: () => {
      // What is still running must go on being able to print, or its next line would end it.
      disposed = true
      reader.resume()
      log.close()
    },
  })
}

/** A copy of the shell that has not become its program yet would show the shell's own arguments. */
function describeProcess(member: ProcessEntry): string {
  const line = commandLine(member.pid)
  return line === '' || line.includes(shellBody) ? member.name : line
}

async function roomIn(record: RunRecord) {
  const room = Promise.withResolvers<void>()
  record.log.onRoom(() => room.resolve())
  await room.promise
}

function causeOf(exit: ProcessExit, stopCause: StopCause | undefined): runs.EndCause {
  if (stopCause !== undefined) return stopCause
  return exit.signal === null ? runs.EndCause.EXITED : runs.EndCause.SIGNALLED
}

function exitFields(exit: ProcessExit) {
  return { exitCode: exit.code ?? -1, signal: exit.signal ?? '' }
}

function memoryFields(verdict: string | undefined) {
  return verdict === undefined ? {} : { cause: runs.EndCause.OUT_OF_MEMORY, message: verdict }
}

function cwdText(state: SessionState | undefined, dependencies: CommandDependencies) {
  return state === undefined ? dependencies.user.home : Buffer.from(state.cwd, 'latin1').toString('utf8')
}

/** Two files in memory, in a directory where nobody can put anything in their place. Only the user can read them. */
type Handover = { scriptPath: string; targetPath: string }

function writeHandover(request: CommandRequest, dependencies: CommandDependencies): Handover {
  const directory = join(dependencies.scratchDirectory, 'shells')
  mkdirSync(directory, { recursive: true, mode: 0o711 })
  const name = freshRandom(16)
  const handover = { scriptPath: join(directory, `${name}.bash`), targetPath: join(directory, `${name}.state`) }
  const script = sessionScript({
    state: dependencies.session.state,
    cwd: request.cwd,
    given: { ...dependencies.envVars, ...request.envs },
    runMark: request.key,
    libraryPath: dependencies.libraryPath,
    targetPath: handover.targetPath,
    command: request.command,
  })
  writeFor(dependencies.user, { path: handover.scriptPath, data: script })
  writeFor(dependencies.user, { path: handover.targetPath, data: Buffer.alloc(0) })
  return handover
}

function writeFor(user: SandboxUser, file: { path: string; data: Buffer }) {
  writeFileSync(file.path, file.data, { mode: 0o600, flag: 'wx' })
  if (process.getuid?.() === 0) chownSync(file.path, user.uid, user.gid)
}

function takeSaved(handover: Handover): SessionState | undefined {
  const { targetPath } = handover
  try {
    return statSync(targetPath).size > stateLimitBytes ? undefined : parseSavedState(readFileSync(targetPath))
  } finally {
    rmSync(targetPath, { force: true })
    rmSync(handover.scriptPath, { force: true })
  }
}

function sendScriptPath(shell: WaitingShell, handover: Handover) {
  try {
    writeSync(shell.stdin, `${handover.scriptPath}\n`)
  } catch (error) {
    // A shell that was killed meanwhile is reported by its exit.
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  } finally {
    closeSync(shell.stdin)
  }
}
