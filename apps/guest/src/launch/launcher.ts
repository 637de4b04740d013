import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, statSync } from 'node:fs'
import { defineError } from '@threadbox/errors'
import type { GuestState } from '../ground/guest-state.ts'
import { environmentFor } from './environment.ts'
import type { PipePool } from './pipe-pool.ts'
import type { Programs } from './programs.ts'
import { findUser, type SandboxUser } from './users.ts'

export const directoryMissing = defineError<{ path: string }>({
  code: 'launch.directory-missing',
  kind: 'invalid',
  message: ({ path }) => `The working directory ${path} doesn’t exist or isn’t a directory.`,
  remedy: () => 'Create it first, or omit the working directory.',
})

export const programNotStarted = defineError<{ program: string; problem: string }>({
  code: 'launch.program-not-started',
  kind: 'invalid',
  message: ({ program, problem }) => `Couldn’t start ${program}: ${problem}`,
  remedy: () => 'Check that the program exists, that this user can run it, and that the process limit isn’t reached.',
})

export type ProcessExit = { code: number | null; signal: NodeJS.Signals | null }

/** A started program, leader of its own session and process group. The receiver owns the pipe ends. */
export type LaunchedProcess = {
  pid: number
  /** Guest's ends of the program's pipes. */
  stdin: number | undefined
  stdout: number
  /** Undefined if standard error is merged into standard output. */
  stderr: number | undefined
  exit: Promise<ProcessExit>
}

export type LaunchRequest = {
  user: SandboxUser
  program: string
  args: string[]
  envs: Record<string, string>
  cwd: string
  stdin: 'none' | 'pipe'
  /** `stdout`: the same pipe as standard output. */
  stderr: 'pipe' | 'stdout'
}

/** Starts programs of users, with the user's rights, environment and limits. */
export type Launcher = {
  launch(request: LaunchRequest): Promise<LaunchedProcess>
  /** Returns the named user, or the sandbox's default user. */
  user(name: string | undefined): SandboxUser
  environment(options: { user: SandboxUser; envs: Record<string, string> }): Record<string, string>
  /** Returns the directory that programs start in by default. */
  workdir(user: SandboxUser): string
  /** Returns arguments that become `program` with the limits set; the caller still sets uid and gid. */
  limited(options: { program: string; args: string[] }): string[]
}

export function makeLauncher(dependencies: {
  state: GuestState
  pipes: PipePool
  programs: Programs
  /** Default environment of every program. */
  ownEnvironment: Record<string, string>
  /** Added by the server while the guest runs. */
  addedVariables?: () => Record<string, string>
}): Launcher {
  const { state, pipes, programs, ownEnvironment, addedVariables = () => ({}) } = dependencies
  const limited: Launcher['limited'] = ({ program, args }) => [
    ...programs.script('launch'),
    String(state.settings().limits.processes),
    program,
    ...args,
  ]
  const environment: Launcher['environment'] = ({ user, envs }) =>
    environmentFor({ user, envs, envVars: { ...ownEnvironment, ...state.settings().envVars, ...addedVariables() } })
  return {
    limited,
    environment,
    user: (name) => findUser(name ?? state.settings().defaultUser),
    workdir: (user) => (user.name === state.settings().defaultUser ? state.settings().defaultWorkdir : user.home),
    launch: async (request) => {
      requireDirectory(request.cwd)
      const ends = await openPipes(pipes, request)
      try {
        const [program = '', ...args] = limited(request)
        const child = spawn(program, args, {
          detached: true,
          cwd: request.cwd,
          env: environment(request),
          stdio: [ends.stdin?.readEnd ?? 'ignore', ends.stdout.writeEnd, (ends.stderr ?? ends.stdout).writeEnd],
          ...identityOptions(request.user),
        })
        const exit = exitOf(child)
        await started(child, request.program)
        return {
          pid: child.pid ?? 0,
          stdin: ends.stdin?.writeEnd,
          stdout: ends.stdout.readEnd,
          stderr: ends.stderr?.readEnd,
          exit,
        }
      } catch (error) {
        for (const end of [ends.stdin?.writeEnd, ends.stdout.readEnd, ends.stderr?.readEnd]) closeEnd(end)
        if (!(error instanceof TypeError)) throw error
        // Node refuses what no program can be given, such as a NUL in an argument.
        throw programNotStarted({ program: request.program, problem: error.message }, { cause: error })
      } finally {
        for (const end of [ends.stdin?.readEnd, ends.stdout.writeEnd, ends.stderr?.writeEnd]) closeEnd(end)
      }
    },
  }
}

/** Empty if the guest already runs as that user, which only happens outside a sandbox. */
export function identityOptions(user: SandboxUser): { uid?: number; gid?: number } {
  return process.getuid?.() === user.uid ? {} : { uid: user.uid, gid: user.gid }
}

async function openPipes(pipes: PipePool, request: LaunchRequest) {
  const stdout = await pipes.forOutput(request.user)
  const stderr = request.stderr === 'stdout' ? undefined : await pipes.forOutput(request.user)
  const stdin = request.stdin === 'none' ? undefined : await pipes.forInput(request.user)
  return { stdin, stdout, stderr }
}

export function requireDirectory(path: string) {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined || !found.isDirectory()) throw directoryMissing({ path })
}

function closeEnd(descriptor: number | undefined) {
  if (descriptor !== undefined) closeSync(descriptor)
}

function exitOf(child: ChildProcess): Promise<ProcessExit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
    child.once('error', () => resolve({ code: 127, signal: null }))
  })
}

function started(child: ChildProcess, program: string): Promise<void> {
  if (child.pid !== undefined) return Promise.resolve()
  return new Promise((_resolve, reject) => {
    child.once('error', (cause) => reject(programNotStarted({ program, problem: cause.message }, { cause })))
  })
}
