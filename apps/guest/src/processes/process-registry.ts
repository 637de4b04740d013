import { accessSync, constants, statSync } from 'node:fs'
import { join } from 'node:path'
import { defineError } from '@threadbox/errors'
import { type Launcher, programNotStarted } from '../launch/launcher.ts'
import type { SandboxUser } from '../launch/users.ts'
import type { ManagedProcess } from './managed-process.ts'
import { startPipeProcess } from './pipe-process.ts'
import { startTerminalProcess } from './terminal-process.ts'

export const processUnknown = defineError<{ selector: string }>({
  code: 'process.unknown',
  kind: 'not-found',
  message: ({ selector }) => `No process with ${selector}.`,
  remedy: () => 'List the processes to see what’s running.',
})

/** How long clients can still connect to an ended process, as with E2B's envd. */
const keepEndedMs = 30_000

export type ProcessSelector = { case: 'pid'; value: number } | { case: 'tag'; value: string }

/** Processes that clients have started. */
export type ProcessRegistry = {
  start(options: {
    user: SandboxUser
    config: ManagedProcess['config']
    tag: string | undefined
    stdin: boolean
    /** A terminal of this size instead of pipes. */
    terminal: { cols: number; rows: number } | undefined
  }): Promise<ManagedProcess>
  /** Throws `process.unknown`. Finds ended processes until they are forgotten. */
  find(selector: ProcessSelector): ManagedProcess
  running(): ManagedProcess[]
  terminalsLastInputAt(): number | null
  terminalPids(): number[]
}

export function makeProcessRegistry(dependencies: { launcher: Launcher; clock: () => number }): ProcessRegistry {
  const { launcher, clock } = dependencies
  const processes = new Set<ManagedProcess>()
  const terminals = new Set<ManagedProcess>()
  let lastInputAt: number | null = null
  const keep = (started: ManagedProcess) => {
    processes.add(started)
    void forgetAfterEnd(started)
    return started
  }
  const forgetAfterEnd = async (started: ManagedProcess) => {
    await started.whenEnded
    setTimeout(() => processes.delete(started), keepEndedMs).unref()
  }
  return {
    start: async ({ user, config, tag, stdin, terminal }) => {
      const request = {
        user,
        program: config.cmd,
        args: config.args,
        envs: terminal === undefined ? config.envs : { ...terminalVariables, ...config.envs },
        cwd: resolveDirectory(config.cwd, { user, workdir: launcher.workdir(user) }),
        stdin: stdin ? ('pipe' as const) : ('none' as const),
        stderr: 'pipe' as const,
      }
      requireProgram(config.cmd, launcher.environment(request).PATH ?? '')
      const start = { launcher, request, tag, config }
      if (terminal === undefined) return keep(await startPipeProcess(start))
      const onInput = () => {
        lastInputAt = clock()
      }
      const started = keep(startTerminalProcess({ ...start, size: terminal, onInput }))
      terminals.add(started)
      void started.whenEnded.then(() => terminals.delete(started))
      return started
    },
    find: (selector) => {
      const matches = [...processes].filter((candidate) => candidate[selector.case] === selector.value)
      const found = matches.find((candidate) => candidate.end === undefined) ?? matches.at(-1)
      if (found === undefined) throw processUnknown({ selector: `${selector.case} ${selector.value}` })
      return found
    },
    running: () => [...processes].filter((candidate) => candidate.end === undefined),
    terminalsLastInputAt: () => lastInputAt,
    terminalPids: () => [...terminals].map((terminal) => terminal.pid),
  }
}

const terminalVariables = { TERM: 'xterm-256color', LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8' }

function resolveDirectory(cwd: string | undefined, options: { user: SandboxUser; workdir: string }): string {
  if (cwd === undefined || cwd === '') return options.workdir
  if (cwd === '~' || cwd.startsWith('~/')) return join(options.user.home, cwd.slice(1))
  return cwd.startsWith('/') ? cwd : join(options.workdir, cwd)
}

/** The program is started through a shell, which would turn a missing one into an ordinary exit. */
function requireProgram(program: string, path: string) {
  const candidates = program.includes('/') ? [program] : path.split(':').map((directory) => join(directory, program))
  const found = candidates.some((candidate) => {
    try {
      accessSync(candidate, constants.X_OK)
      return statSync(candidate).isFile()
    } catch {
      return false
    }
  })
  if (!found) throw programNotStarted({ program, problem: 'no such program' })
}
