import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { noteStart } from './start-record.ts'

export type ProgramName = 'host' | 'server'

/** The logs of programs that were started here and not put away yet, by file. */
const logs = new Map<string, ProgramName>()

/** Names the directory of programs that are bundled already, as a release has them: one starts in half the time. */
export const builtProgramsVariable = 'THREADBOX_BUILT_PROGRAMS'

const sources = { host: 'apps/host/src/main.ts', server: 'apps/server/src/main.ts' } as const

/** The program's file: bundled, or the source. */
export function programFile(name: ProgramName): string {
  const built = process.env[builtProgramsVariable]
  if (built !== undefined) return path.join(built, name, 'main.js')
  return path.join(import.meta.dirname, '../../../..', sources[name])
}

/** Starts the host daemon or the server as a process of its own that writes to `logFile`. */
export function spawnProgram(
  name: ProgramName,
  { environment, logFile }: { environment: Record<string, string>; logFile: string },
): ChildProcess {
  logs.set(logFile, name)
  noteStart(name)
  const log = openSync(logFile, 'a')
  try {
    return spawn(process.execPath, [programFile(name)], {
      // What Node makes of a source is kept from start to start.
      env: { NODE_COMPILE_CACHE: path.join(tmpdir(), 'threadbox-compile-cache'), ...environment },
      stdio: ['ignore', log, log],
    })
  } finally {
    closeSync(log)
  }
}

export type ProgramLog = { name: ProgramName; file: string }
let beforeLogGoes: (log: ProgramLog) => void = () => undefined

/** The log goes with the directory that it is in. */
export function forgetLog(logFile: string): void {
  const name = logs.get(logFile)
  if (name !== undefined) beforeLogGoes({ name, file: logFile })
  logs.delete(logFile)
}

/** Has each log looked at before it goes. */
export function lookAtLogsThatGo(look: (log: ProgramLog) => void): void {
  beforeLogGoes = look
}

/** Of the programs that run now: for a test that failed. */
export function programLogs(): ProgramLog[] {
  return [...logs].map(([file, name]) => ({ name, file }))
}
