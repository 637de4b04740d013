import { readFileSync, statSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { runs } from '@threadbox/protocol/guest'
import { afterAwake } from '../ground/awake-time.ts'
import type { ProcessExit } from '../launch/launcher.ts'
import { readPipe } from '../launch/pipe-reader.ts'
import type { SandboxUser } from '../launch/users.ts'
import { endFamily, membersOf, type ProcessFamily } from '../processes/process-family.ts'
import { commandLine, type ProcessEntry } from '../processes/process-table.ts'
import { type Terminations, terminationFields } from '../watchdog/terminations.ts'
import type { OutputLog } from './output-log.ts'
import { type Execution, type ExecutionRecord, makeExecutionRecord, plainEnd, type StopCause, viewOf } from './run.ts'
import {
  commandScript,
  loadScript,
  parseSavedShell,
  type SavedShell,
  type SessionState,
  shellBody,
} from './session-script.ts'
import type { SessionShell, ShellOutput } from './session-shell.ts'
import type { SessionCopy, SessionStore } from './session-store.ts'

export type CommandRequest = {
  key: string
  command: string
  cwd: string
  envs: Record<string, string>
  timeoutMs: number
}

/** What a command execution needs from the rest of the guest. */
export type CommandDependencies = {
  shell: SessionShell
  output: ShellOutput
  session: SessionCopy
  sessions: SessionStore
  user: SandboxUser
  envVars: Record<string, string>
  log: OutputLog
  takeTermination: Terminations['take']
  /** True while the sandbox is at its limit of processes. */
  isFull(): boolean
  processLimit: number
  /** Called, after the end was reported, with a shell that can run the session's next command. */
  onReusable(shell: SessionShell, session: SessionCopy): void
}

export type CommandExecution = Execution & {
  readonly pid: number
  readonly family: ProcessFamily
  whenEnded: Promise<void>
}

/** Saved state larger than this is discarded: every following command would read it again. */
const stateLimitBytes = 16 * 1024 * 1024
/** What is in the pipe when the shell ends is the command's; a background process can keep writing forever. */
const drainLimitBytes = 1024 * 1024
const multiplyingPollMs = 50
const multiplyingRestFactor = 3
const longestMultiplyingPollMs = 300
const multitudeShare = 0.2
const multitudeMs = 2_000
/** Share of the limit from which processes count as about to reach it. */
const throngShare = 0.8
/** Longer than the process watchdog takes to end a fork bomb. */
const multiplyingLimitMs = 15_000

/**
 * Gives a waiting shell its command and follows it to its end. The execution ends when the shell is idle or has exited,
 * not when the last process closes the output: what a background process prints later is added until the execution is
 * forgotten.
 */
export function startCommandExecution(request: CommandRequest, dependencies: CommandDependencies): CommandExecution {
  const { shell, output, log } = dependencies
  const startedAt = performance.now()
  const record = makeExecutionRecord({ key: request.key, log })
  const family: ProcessFamily = { root: shell.pid, mark: request.key }
  let disposed = false
  const reader = readPipe({
    descriptor: output.descriptor,
    onData: (chunk) => {
      if (disposed) return
      log.append(chunk)
      if (log.isFull) reader.pause()
      record.changed()
    },
    onEnd: () => undefined,
  })
  log.onRoom(() => reader.resume())
  const status = shell.send(scriptFor(request, dependencies))

  let stopCause: StopCause | undefined
  const stop = async (cause: StopCause) => {
    if (record.end === undefined) stopCause ??= cause
    await endFamily(family)
    await record.whenEnded
  }
  const timeout =
    request.timeoutMs > 0 ? afterAwake(request.timeoutMs, () => void stop(runs.EndCause.TIMEOUT)) : undefined
  const follow = async () => {
    let end: CommandEnd = await Promise.race([shell.exit, status.then((code) => ({ status: code }))])
    const saved = readSaved(shell.statePath)
    const state = dependencies.sessions.commit(dependencies.session, saved?.state)
    const isReusable =
      'status' in end && stopCause === undefined && state.isTaken && isAsNew({ request, shell, saved, family })
    if ('status' in end && !isReusable) {
      shell.finish()
      end = await shell.exit
    }
    if (!isReusable) await waitForForks(family, dependencies)
    timeout?.cancel()
    output.releasePlaceholderWriter()
    while (!reader.drain(drainLimitBytes) && log.isFull) await roomIn(record)
    shell.tidy()
    // A reused shell belongs to the next command; ending this execution later must not find it.
    if (isReusable) family.root = noProcess
    const stillRunning = isReusable ? [] : membersOf(family).map(describeProcess)
    record.finish({
      ...plainEnd(causeOf(end, stopCause)),
      ...exitFields(end),
      ...terminationFields(dependencies.takeTermination(family, startedAt)),
      cwd: cwdText(state.state, dependencies),
      outputSize: log.size,
      durationMs: performance.now() - startedAt,
      stillRunning,
    })
    if (isReusable) dependencies.onReusable(shell, state)
  }
  void follow()
  return Object.assign(viewOf(record), {
    pid: shell.pid,
    family,
    whenEnded: record.whenEnded,
    stop,
    dispose: () => {
      // A program that still runs must be able to keep printing, or its next line would end it.
      disposed = true
      reader.resume()
      log.close()
    },
  })
}

/** Tells whether an idle shell can run a command that cannot tell it from a new shell. */
function isAsNew(ended: {
  request: CommandRequest
  shell: SessionShell
  saved: SavedShell | undefined
  family: ProcessFamily
}): boolean {
  const { request, shell, saved, family } = ended
  // Variables from a request are not the session's, and would have to be removed.
  if (saved?.isClean !== true || Object.keys(request.envs).length > 0) return false
  return !shell.haveLimitsChanged() && membersOf(family).every(({ pid }) => pid === shell.pid)
}

/**
 * Waits while the processes that a command left behind multiply, or have filled the sandbox: a fork bomb returns
 * immediately, and its outcome is the end of its command. An ordinary leftover costs one check; a multitude, which can
 * be about to multiply, two seconds.
 */
async function waitForForks(family: ProcessFamily, limits: Pick<CommandDependencies, 'isFull' | 'processLimit'>) {
  const startedAt = performance.now()
  let most = membersOf(family).length
  let grownAt = startedAt
  let costMs = performance.now() - startedAt
  while (most > 0 && performance.now() - startedAt < multiplyingLimitMs) {
    // The watchdog needs the processor time more.
    await delay(Math.min(Math.max(multiplyingPollMs, multiplyingRestFactor * costMs), longestMultiplyingPollMs))
    const checkedAt = performance.now()
    const count = membersOf(family).length
    const now = performance.now()
    costMs = now - checkedAt
    if (count > most) {
      most = count
      grownAt = now
    }
    const isMultitude = count > limits.processLimit * multitudeShare
    const mayBecomeMore = limits.isFull() || count > limits.processLimit * throngShare
    if (!mayBecomeMore && now - grownAt >= (isMultitude ? multitudeMs : multiplyingPollMs)) return
  }
}

/** How a command ended: with its shell, or with a status and a shell that keeps running. */
type CommandEnd = ProcessExit | { status: number }

/** A pid that no process has. */
const noProcess = 0

/** A fork of the shell that has not become its program yet would show the shell's own arguments. */
function describeProcess(member: ProcessEntry): string {
  const line = commandLine(member.pid)
  return line === '' || line.includes(shellBody) ? member.name : line
}

async function roomIn(record: ExecutionRecord) {
  const room = Promise.withResolvers<void>()
  record.log.onRoom(() => room.resolve())
  await room.promise
}

function causeOf(end: CommandEnd, stopCause: StopCause | undefined): runs.EndCause {
  if (stopCause !== undefined) return stopCause
  return 'status' in end || end.signal === null ? runs.EndCause.EXITED : runs.EndCause.SIGNALLED
}

function exitFields(end: CommandEnd) {
  return 'status' in end ? { exitCode: end.status, signal: '' } : { exitCode: end.code ?? -1, signal: end.signal ?? '' }
}

function cwdText(state: SessionState | undefined, dependencies: CommandDependencies) {
  return state === undefined ? dependencies.user.home : Buffer.from(state.cwd, 'latin1').toString('utf8')
}

function scriptFor(request: CommandRequest, options: CommandDependencies): Buffer {
  const { session, shell, output, envVars } = options
  const command = commandScript({
    state: session.state,
    cwd: request.cwd,
    given: { ...envVars, ...request.envs },
    runMark: request.key,
    outputPath: output.path,
    command: request.command,
  })
  const isLoaded = shell.loadedState !== undefined
  return isLoaded || session.state === undefined ? command : Buffer.concat([loadScript(session.state), command])
}

function readSaved(path: string): SavedShell | undefined {
  return statSync(path).size > stateLimitBytes ? undefined : parseSavedShell(readFileSync(path))
}
