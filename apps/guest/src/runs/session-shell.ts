import {
  chownSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { freshRandom } from '../ground/random.ts'
import type { LaunchedProcess, Launcher, ProcessExit } from '../launch/launcher.ts'
import type { PipePool } from '../launch/pipe-pool.ts'
import { readPipe } from '../launch/pipe-reader.ts'
import type { SandboxUser } from '../launch/users.ts'
import { sendSignal } from '../processes/process-family.ts'
import { shellBody } from './session-script.ts'

/**
 * A bash that runs commands one after another. Each command is a script in a file. A line on one named pipe tells the
 * shell to run it, an empty line to exit; the status comes back on another. The shell opens both by name: descriptors
 * that it held open would be inherited by every program, and a program that read from one would swallow the next line.
 */
export type SessionShell = {
  readonly pid: number
  readonly exit: Promise<ProcessExit>
  /** The session state that the shell has loaded. Set by the pool when a command has left the shell reusable. */
  loadedState: { name: string; version: number } | undefined
  /** Opens the pipe of the next command's output. */
  openOutput(): Promise<ShellOutput>
  /** The file in which the shell saves its state after each command. `tidy` removes it. */
  readonly statePath: string
  /**
   * Runs a script; resolves with its status when the shell is idle again. Does not resolve if the shell exits: `exit`
   * does.
   */
  send(script: Buffer): Promise<number>
  /**
   * Removes the files of the last command: script, output pipe and state. Required before the next command’s output is
   * opened, and after an exit.
   */
  tidy(): void
  /** Makes an idle shell exit with the status of its last command, and run its EXIT trap. */
  finish(): void
  kill(): void
  /** True if programs of this shell start with other limits than when it became ready; also before that. */
  haveLimitsChanged(): boolean
}

export type ShellOutput = {
  descriptor: number
  /** The pipe to which the shell still has to redirect its output; undefined if it already prints there. */
  path: string | undefined
  /** To be called once the shell has opened the pipe, or exited: from then on, the last writer ends the output. */
  releasePlaceholderWriter(): void
}
export type ShellKind = 'login' | 'bare'
export type ShellDependencies = { launcher: Launcher; pipes: PipePool; libraryPath: string; scratchDirectory: string }

export async function startSessionShell(dependencies: ShellDependencies, kind: ShellKind): Promise<SessionShell> {
  const { launcher, pipes } = dependencies
  const user = launcher.user(undefined)
  const directory = join(dependencies.scratchDirectory, 'shells')
  // Others can traverse it, but not list it.
  mkdirSync(directory, { recursive: true, mode: 0o711 })
  /** Prefix of the paths of this shell's pipes and files. */
  const channelPath = join(directory, freshRandom(16))
  await pipes.createFifo(user, `${channelPath}.in`)
  await pipes.createFifo(user, `${channelPath}.out`)
  const flags = kind === 'login' ? ['--login'] : ['--noprofile', '--norc']
  const launched = await launcher.launch({
    user,
    program: '/bin/bash',
    args: [...flags, '-c', shellBody, 'bash', dependencies.libraryPath, channelPath],
    envs: {},
    cwd: launcher.workdir(user),
    stdin: 'none',
    stderr: 'stdout',
  })
  return makeSessionShell({ pipes, user, channelPath, launched })
}

function makeSessionShell(options: {
  pipes: PipePool
  user: SandboxUser
  channelPath: string
  launched: LaunchedProcess
}): SessionShell {
  const { pipes, user, channelPath, launched } = options
  // Read and write: without a reader, `input` could not be opened yet; each closing by the shell would end `output`.
  const input = openSync(`${channelPath}.in`, constants.O_RDWR | constants.O_NONBLOCK)
  const output = openSync(`${channelPath}.out`, constants.O_RDWR | constants.O_NONBLOCK)
  let resolveStatus: ((status: number) => void) | undefined
  const ready = Promise.withResolvers<void>()
  let limitsAtStart = ''
  let text = ''
  const reports = readPipe({
    descriptor: output,
    onData: (chunk) => {
      text += chunk.toString('latin1')
      if (!text.endsWith('\n')) return
      if (text === 'ready\n') {
        limitsAtStart = limitsOf(launched.pid)
        ready.resolve()
      } else resolveStatus?.(Number(text))
      text = ''
    },
    onEnd: () => undefined,
  })
  let outputCount = 0
  let isFirstOutput = true
  let files: string[] = []
  const tidy = () => {
    for (const path of files) rmSync(path, { force: true })
    files = []
  }
  // On a tmpfs, in a directory where no other user can replace them. Only the user can read them.
  const write = (path: string, data: Buffer) => {
    writeFileSync(path, data, { mode: 0o600, flag: 'wx' })
    if (process.getuid?.() === 0) chownSync(path, user.uid, user.gid)
    files.push(path)
  }
  let isGone = false
  void launched.exit.then(() => {
    isGone = true
    closeSync(input)
    if (isFirstOutput) closeSync(launched.stdout)
    reports.close()
    for (const end of ['in', 'out']) rmSync(`${channelPath}.${end}`, { force: true })
  })
  return {
    pid: launched.pid,
    exit: launched.exit,
    loadedState: undefined,
    openOutput: async () => {
      if (isFirstOutput) {
        isFirstOutput = false
        return { descriptor: launched.stdout, path: undefined, releasePlaceholderWriter: () => undefined }
      }
      const path = `${channelPath}.${++outputCount}`
      await pipes.createFifo(user, path)
      files.push(path)
      const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
      // Without any writer, a read returns the end of file before the shell has opened the pipe.
      const placeholderWriter = openSync(path, constants.O_WRONLY)
      return { descriptor, path, releasePlaceholderWriter: () => closeSync(placeholderWriter) }
    },
    statePath: `${channelPath}.state`,
    send: (script) => {
      const { promise, resolve } = Promise.withResolvers<number>()
      resolveStatus = resolve
      write(`${channelPath}.state`, Buffer.alloc(0))
      write(`${channelPath}.script`, script)
      void ready.promise.then(() => {
        // If the shell was killed in the meantime, its exit reports that.
        if (!isGone) writeSync(input, 'x\n')
      })
      return promise
    },
    tidy,
    finish: () => {
      if (!isGone) writeSync(input, '\n')
    },
    kill: () => {
      if (!isGone) sendSignal(launched.pid, 'SIGKILL')
    },
    haveLimitsChanged: () => limitsOf(launched.pid) !== limitsAtStart,
  }
}

/** Limits and niceness, as text; empty for a process that has exited. */
function limitsOf(pid: number): string {
  try {
    // The name in field 2 can contain spaces, so fields are counted after it: 16 is field 19, the niceness.
    const nice = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[16]
    return `${readFileSync(`/proc/${pid}/limits`, 'utf8')}${nice}`
  } catch {
    return ''
  }
}
