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
 * A bash that runs commands one after another. A named pipe gives it each command, a script in a file, and another
 * named pipe returns the status. It opens both by name: descriptors that it held open would be inherited by every
 * program, and a program that read from one would swallow the next command.
 */
export type SessionShell = {
  readonly pid: number
  readonly exit: Promise<ProcessExit>
  /** The session state that the shell holds, once it has run a command. */
  holds: { name: string; version: number } | undefined
  /** Where the next command's output can be read; `path` if the shell still has to switch to it. */
  openOutput(): Promise<ShellOutput>
  /** The file in which the shell saves its state after each command. */
  readonly statePath: string
  /** Gives the shell a script; resolves with the command's status when the shell is back. */
  send(script: Buffer): Promise<number>
  /** Removes the files of the last command. */
  tidy(): void
  /** Lets a returned shell exit as its command did: with its status and its EXIT trap. */
  finish(): void
  kill(): void
  /** True if a command has changed the limits that programs of this shell start with. */
  hasOtherLimits(): boolean
}

export type ShellOutput = { descriptor: number; path: string | undefined; settle(): void }
export type ShellKind = 'login' | 'bare'
export type ShellDependencies = { launcher: Launcher; pipes: PipePool; libraryPath: string; scratchDirectory: string }

export async function startSessionShell(dependencies: ShellDependencies, kind: ShellKind): Promise<SessionShell> {
  const { launcher, pipes } = dependencies
  const user = launcher.user(undefined)
  const directory = join(dependencies.scratchDirectory, 'shells')
  // Others can traverse it, but not list it.
  mkdirSync(directory, { recursive: true, mode: 0o711 })
  const channel = join(directory, freshRandom(16))
  await pipes.named(user, `${channel}.in`)
  await pipes.named(user, `${channel}.out`)
  const flags = kind === 'login' ? ['--login'] : ['--noprofile', '--norc']
  const launched = await launcher.launch({
    user,
    program: '/bin/bash',
    args: [...flags, '-c', shellBody, 'bash', dependencies.libraryPath, channel],
    envs: {},
    cwd: launcher.workdir(user),
    stdin: 'none',
    stderr: 'same',
  })
  return makeSessionShell({ pipes, user, channel, launched })
}

function makeSessionShell(options: {
  pipes: PipePool
  user: SandboxUser
  channel: string
  launched: LaunchedProcess
}): SessionShell {
  const { pipes, user, channel, launched } = options
  // Open both ways: the shell's opening and closing is then no end of file here.
  const input = openSync(`${channel}.in`, constants.O_RDWR | constants.O_NONBLOCK)
  const output = openSync(`${channel}.out`, constants.O_RDWR | constants.O_NONBLOCK)
  let back: ((status: number) => void) | undefined
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
      } else back?.(Number(text))
      text = ''
    },
    onEnd: () => undefined,
  })
  let count = 0
  let isFirst = true
  let files: string[] = []
  const tidy = () => {
    for (const path of files) rmSync(path, { force: true })
    files = []
  }
  // In memory, in a directory where no other user can replace them; only the user can read them.
  const write = (path: string, data: Buffer) => {
    writeFileSync(path, data, { mode: 0o600, flag: 'wx' })
    if (process.getuid?.() === 0) chownSync(path, user.uid, user.gid)
    files.push(path)
  }
  let isGone = false
  void launched.exit.then(() => {
    isGone = true
    closeSync(input)
    if (isFirst) closeSync(launched.stdout)
    reports.close()
    for (const end of ['in', 'out']) rmSync(`${channel}.${end}`, { force: true })
  })
  return {
    pid: launched.pid,
    exit: launched.exit,
    holds: undefined,
    openOutput: async () => {
      if (isFirst) {
        isFirst = false
        return { descriptor: launched.stdout, path: undefined, settle: () => undefined }
      }
      const path = `${channel}.${++count}`
      await pipes.named(user, path)
      files.push(path)
      const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
      // Until the shell writes there: a pipe without a writer is at its end.
      const writer = openSync(path, constants.O_WRONLY)
      return { descriptor, path, settle: () => closeSync(writer) }
    },
    statePath: `${channel}.state`,
    send: (script) => {
      const { promise, resolve } = Promise.withResolvers<number>()
      back = resolve
      write(`${channel}.state`, Buffer.alloc(0))
      write(`${channel}.script`, script)
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
    hasOtherLimits: () => limitsOf(launched.pid) !== limitsAtStart,
  }
}

/** Limits and niceness, as text; empty for a process that has ended. */
function limitsOf(pid: number): string {
  try {
    const nice = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[16]
    return `${readFileSync(`/proc/${pid}/limits`, 'utf8')}${nice}`
  } catch {
    return ''
  }
}
