import { type ChildProcess, spawn } from 'node:child_process'
import { keepRunning } from '@threadbox/concurrency'
import { endOf, processLimits } from '@threadbox/sandbox-network'
import type { Logger } from '@threadbox/telemetry'
import { type ProgramName, programFile } from './start-program.ts'

const endsWithinMs = 2000

/**
 * What a process can do until it has become its own user: that change, and reading its own program, which can be in a
 * directory of another user.
 */
const capabilities = '-all,+setuid,+setgid,+dac_read_search'

/** A process that reads what sandboxes send. */
export type ServingProcess = {
  name: 'gateway' | 'egress' | 'names'
  userId: number
  /** Undefined while none runs. */
  pid(): number | undefined
  /** Resolves when it has responded to something that changes nothing. */
  respond(): Promise<void>
}

export type RouterProcessOptions = {
  program: ProgramName & ('egress' | 'gateway')
  /** The network namespace of the router, from which alone sandboxes can be reached. */
  namespacePath: string
  /** The environment that its settings describe. */
  environment: Record<string, string>
  logger: Logger
}

export type RouterProcess = {
  /** Undefined while none runs. */
  pid(): number | undefined
  /** Kills one that hangs; the next one starts immediately. */
  replace(): void
  stop(): Promise<void>
}

/**
 * Runs a program in the router for as long as this process runs, and restarts it whenever it ends. It reads what sandboxes
 * send, so it has no right of this process; it ends when this process does, because its standard input ends then.
 */
export function keepInRouter(options: RouterProcessOptions): RouterProcess {
  const { program, logger } = options
  const stopping = new AbortController()
  let current: ChildProcess | undefined
  const kept = keepRunning({
    run: async () => {
      current = start(options)
      return await endOf(current)
    },
    ended: (how, pause) =>
      logger.warn({ program, ...how, ...pause }, 'a process in the router has ended and will be restarted'),
    signal: stopping.signal,
  })
  return {
    pid: () => (current?.exitCode === null && current.signalCode === null ? current.pid : undefined),
    replace: () => void current?.kill('SIGKILL'),
    stop: async () => {
      stopping.abort()
      current?.stdin?.end()
      const kill = setTimeout(() => current?.kill('SIGKILL'), endsWithinMs)
      await kept
      clearTimeout(kill)
    },
  }
}

/** The command line of a program in the router: each part becomes the next, so the process keeps its ID. */
export function commandInRouter(options: {
  program: RouterProcessOptions['program']
  file: string
  namespacePath: string
}): string[] {
  const { program, file, namespacePath } = options
  const rights = ['--no-new-privs', '--bounding-set', capabilities, '--inh-caps', '-all']
  const command = ['prlimit', ...processLimits, process.execPath, ...nodeOptions[program], file]
  return ['nsenter', `--net=${namespacePath}`, '--', 'setpriv', ...rights, ...command]
}

function start({ program, namespacePath, environment }: RouterProcessOptions): ChildProcess {
  const [command = '', ...args] = commandInRouter({ program, file: programFile(program), namespacePath })
  const child = spawn(command, args, {
    cwd: '/',
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', ...environment },
    stdio: ['pipe', 'inherit', 'inherit'],
  })
  // What it has not read when it ends is nothing: only the end of this pipe matters.
  child.stdin?.on('error', () => undefined)
  return child
}

/** SIGUSR1 would open a debugger to every program of this machine. Source maps, which others have, keep 27 MB of memory. */
const commonOptions = ['--disable-sigusr1']

/** The default lets short-lived objects take 40 MiB: with 500 connections to hosts with secrets, or of a guest that floods. */
const fewShortLived = (megabytes: number) => `--max-semi-space-size=${megabytes}`

export const nodeOptions = {
  gateway: [...commonOptions, fewShortLived(2)],
  egress: [...commonOptions, fewShortLived(1)],
}
