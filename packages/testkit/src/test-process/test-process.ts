import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { memoryEnvironment, memoryOptions } from '@threadbox/config'
import { noteStart } from './start-record.ts'

export type ProgramName = 'host' | 'server'

/** The logs of programs that were started here and not removed yet, by file. */
const logs = new Map<string, ProgramName>()

/** Names the directory of programs that are already bundled, as in a release: one starts in half the time. */
export const builtProgramsVariable = 'THREADBOX_BUILT_PROGRAMS'

const sources = { host: 'apps/host/src/main.ts', server: 'apps/server/src/main.ts' } as const

/** The program's file: bundled, or the source. */
export function programFile(name: ProgramName, built = process.env[builtProgramsVariable]): string {
  if (built !== undefined) return path.join(built, name, 'main.js')
  return path.join(import.meta.dirname, '../../../..', sources[name])
}

/** Starts the host daemon or the server as a separate process that writes to `logFile`. */
export function spawnProgram(
  name: ProgramName,
  options: {
    environment: Record<string, string>
    logFile: string
    /** The bundled programs of another release. */
    programs?: string | undefined
    /** Beginning of a command line that starts the program elsewhere, such as in another namespace. */
    enter?: readonly string[]
  },
): ChildProcess {
  const { environment, logFile, enter = [], programs } = options
  logs.set(logFile, name)
  noteStart(name)
  const log = openSync(logFile, 'a')
  try {
    const [program = '', ...args] = [...enter, process.execPath, ...memoryOptions, programFile(name, programs)]
    return spawn(program, args, {
      // As installed: Node keeps what it compiled from start to start.
      env: {
        NODE_COMPILE_CACHE: path.join(tmpdir(), 'threadbox-compile-cache'),
        ...memoryEnvironment,
        ...environment,
      },
      stdio: ['ignore', log, log],
    })
  } finally {
    closeSync(log)
  }
}

export type ProgramLog = { name: ProgramName; file: string }
let beforeLogGoes: (log: ProgramLog) => void = () => undefined

/** Forgets a log that is deleted with its directory. */
export function forgetLog(logFile: string): void {
  const name = logs.get(logFile)
  if (name !== undefined) beforeLogGoes({ name, file: logFile })
  logs.delete(logFile)
}

/** Sets a function that reads each log before it is deleted. */
export function inspectRemovedLogs(onLog: (log: ProgramLog) => void): void {
  beforeLogGoes = onLog
}

/** The logs of running programs, for a failed test. */
export function programLogs(): ProgramLog[] {
  return [...logs].map(([file, name]) => ({ name, file }))
}
