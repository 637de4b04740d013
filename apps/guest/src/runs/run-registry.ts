import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { defineError } from '@threadbox/errors'
import { runs, warmUpKey } from '@threadbox/protocol/guest'
import type { Logger } from '@threadbox/telemetry'
import type { GuestState } from '../ground/guest-state.ts'
import { directoryMissing, type Launcher, requireDirectory } from '../launch/launcher.ts'
import type { PipePool } from '../launch/pipe-pool.ts'
import type { Programs } from '../launch/programs.ts'
import type { Terminations } from '../watchdog/terminations.ts'
import { type CommandExecution, type CommandRequest, startCommandExecution } from './command-run.ts'
import { makeOutputLog } from './output-log.ts'
import type { Execution } from './run.ts'
import { makeSessionStore, type SessionCopy, type SessionStore } from './session-store.ts'
import { makeShellPool, type ShellPool } from './shell-pool.ts'

export const runUnknown = defineError<{ key: string }>({
  code: 'run.unknown',
  kind: 'not-found',
  message: ({ key }) => `Execution “${key}” not found: it was discarded, or belongs to another boot.`,
  remedy: () => 'Start it with a new key if it’s safe to run again.',
})

export const runInvalid = defineError<{ problem: string }>({
  code: 'run.invalid',
  kind: 'invalid',
  message: ({ problem }) => `Can’t start the execution: ${problem}`,
  remedy: () => 'Correct the request and start it with a new key.',
})

/** Executions by key. Starting a known key again returns the execution that was started first. */
export type ExecutionRegistry = {
  startCommand(request: CommandRequest & { session: string }): Promise<{ pid: number; existed: boolean }>
  /** Registers an execution that `start` makes, unless the key is known. */
  startOther(key: string, start: (log: ReturnType<typeof makeOutputLog>) => Execution): { existed: boolean }
  /** Throws `run.unknown`. */
  get(key: string): Execution
  list(): Execution[]
  /** Tells whether this process is the shell that a known command ran or runs in. */
  isCommandShell(pid: number): boolean
  forget(key: string): void
  /**
   * Ends every execution and waiting shell, and discards their output. No shell waits until the next handshake or
   * command.
   */
  forgetAll(): Promise<void>
  /** Prepares for a first command, after each handshake. */
  reset(): void
  /** Ends waiting shells; executions keep running. */
  close(): void
}

export type ExecutionRegistryDependencies = {
  launcher: Launcher
  state: GuestState
  programs: Programs
  pipes: PipePool
  scratchDirectory: string
  stateDirectory: string
  logger: Logger
  takeTermination: Terminations['take']
  /** Added by the server while the guest runs. */
  addedVariables(): Record<string, string>
  /** True while the sandbox is at its limit of processes. */
  isFull(): boolean
}

/** Longer than a caller takes to get an end and to forget the execution; shorter than a model thinks. */
const prepareAfterMs = 50

export function makeExecutionRegistry(dependencies: ExecutionRegistryDependencies): ExecutionRegistry {
  const { launcher, state, stateDirectory, logger } = dependencies
  const known = new Map<string, Promise<CommandExecution> | Execution>()
  const settled = new Map<string, Execution>()
  const sessions = makeSessionStore({ directory: join(stateDirectory, 'sessions'), logger })
  const libraryPath = dependencies.programs.file('session.bash')
  const shells = makeShellPool({ ...dependencies, libraryPath })
  const newLog = () => makeOutputLog({ spillDirectory: join(stateDirectory, 'output') })

  const remove = (execution: Execution) => {
    execution.dispose()
    settled.delete(execution.key)
    known.delete(execution.key)
  }
  const preparing = makePreparing({ shells, sessions, isReady: state.isReady })

  const start = async (request: CommandRequest & { session: string }) => {
    const session = sessions.open(request.session)
    const prepareNext = preparing.begin(session)
    const user = launcher.user(undefined)
    const shell = await shells.take(session)
    const execution = startCommandExecution(request, {
      shell,
      output: await shell.openOutput(),
      session,
      sessions,
      user,
      envVars: { ...state.settings().envVars, ...dependencies.addedVariables() },
      log: newLog(),
      takeTermination: dependencies.takeTermination,
      isFull: dependencies.isFull,
      processLimit: state.settings().limits.processes,
      onReusable: request.key === warmUpKey ? shells.giveBackUnused : shells.giveBack,
    })
    settled.set(request.key, execution)
    void execution.whenEnded.then(prepareNext)
    return execution
  }
  return {
    startCommand: async (request) => {
      const earlier = known.get(request.key)
      if (earlier !== undefined) {
        const execution = await earlier
        return { pid: 'pid' in execution ? execution.pid : 0, existed: true }
      }
      checkCommand(request)
      const starting = start(request)
      known.set(request.key, starting)
      try {
        return { pid: (await starting).pid, existed: false }
      } catch (error) {
        known.delete(request.key)
        throw error
      }
    },
    startOther: (key, startRun) => {
      checkKey(key)
      if (known.has(key)) return { existed: true }
      const execution = startRun(newLog())
      known.set(key, execution)
      settled.set(key, execution)
      return { existed: false }
    },
    get: (key) => {
      const execution = settled.get(key)
      if (execution === undefined) throw runUnknown({ key })
      return execution
    },
    list: () => [...settled.values()],
    isCommandShell: (pid) => [...settled.values()].some((execution) => 'pid' in execution && execution.pid === pid),
    forget: (key) => {
      const execution = settled.get(key)
      if (execution === undefined) return
      if (execution.end === undefined) throw runInvalid({ problem: 'it’s still running and can’t be discarded' })
      remove(execution)
    },
    forgetAll: async () => {
      for (const execution of settled.values()) {
        // Processes that an ended command left behind keep running.
        if (execution.end === undefined) await execution.stop(runs.EndCause.STOPPED)
        if (execution.end !== undefined) remove(execution)
      }
      // The end of an execution prepares for the next one.
      await delay(prepareAfterMs)
      preparing.cancel()
      shells.reset()
    },
    close: () => {
      preparing.cancel()
      shells.reset()
    },
    reset: () => {
      sessions.reset()
      shells.reset()
      preparing.restart()
    },
  }
}

/** Starts shells before a command needs one. */
function makePreparing(parts: { shells: ShellPool; sessions: SessionStore; isReady(): boolean }) {
  const { shells, sessions } = parts
  /** Of the user's own session. The shell of the first one is enough for a second, which many sandboxes never run. */
  let commands = 0
  let timer: NodeJS.Timeout | undefined
  const own = () => sessions.open('')
  const prepare = () => shells.prepare(own().state === undefined ? 'login' : 'bare')
  return {
    /** Counts a command of this session; the result is called when it has ended. */
    begin: ({ name }: SessionCopy) => {
      const isOwn = name === own().name
      if (isOwn) commands += 1
      const isFirst = isOwn && commands === 1
      const isEnough = () => isFirst && (commands > 1 || shells.holds(own()))
      // Starting a shell keeps the guest busy for a moment, which would delay the report of the command's end.
      return () => {
        clearTimeout(timer)
        timer = setTimeout(() => parts.isReady() && !isEnough() && prepare(), prepareAfterMs)
      }
    },
    cancel: () => clearTimeout(timer),
    /** For another disk or other settings: the next command is a first one. */
    restart: () => {
      commands = 0
      prepare()
    },
  }
}

function checkCommand(request: CommandRequest) {
  checkKey(request.key)
  const texts = [request.command, request.cwd, ...Object.values(request.envs)]
  if (texts.some((text) => text.includes('\0'))) throw runInvalid({ problem: 'it contains a NUL character' })
  const badName = Object.keys(request.envs).find((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
  if (badName !== undefined) throw runInvalid({ problem: `"${badName}" cannot be the name of a variable` })
  if (request.cwd !== '' && !request.cwd.startsWith('/')) throw directoryMissing({ path: request.cwd })
  if (request.cwd !== '') requireDirectory(request.cwd)
}

function checkKey(key: string) {
  if (!/^[\x21-\x7e]{1,200}$/.test(key)) throw runInvalid({ problem: 'a key is 1 to 200 visible ASCII characters' })
}
