import { type ChildProcess, spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import type { Readable, Writable } from 'node:stream'

/** Programs beside the daemon, each in a process of its own: their place in the source, and in a release. */
const programs = {
  'clean-disk': { source: 'environments/clean-disk', release: 'disk-cleaner' },
  'pack-disk': { source: 'environments/pack-disk', release: 'disk-packer' },
  'read-disk': { source: 'sleeping/read-disk', release: 'disk-reader' },
  'search-memory': { source: 'environments/search-memory', release: 'memory-searcher' },
  'unpack-disk': { source: 'environments/unpack-disk', release: 'disk-unpacker' },
} as const

export type ProgramName = keyof typeof programs
export type Program = ChildProcess & { stdin: Writable; stdout: Readable; stderr: Readable }

/** Starts one in a directory, with nothing of the daemon's environment. Whoever starts it reads what it says, errors too. */
export function startProgram(
  name: ProgramName,
  { directory, timeoutMs }: { directory: string; timeoutMs?: number },
): Program {
  const { source, release } = programs[name]
  const isSource = import.meta.filename.endsWith('.ts')
  const here = dirname(import.meta.filename)
  const file = isSource ? join(here, source, 'main.ts') : join(here, '..', release, 'main.js')
  const program = spawn(process.execPath, [file], {
    ...{ cwd: directory, env: {}, killSignal: 'SIGKILL' as const, stdio: ['pipe', 'pipe', 'pipe'] as const },
    ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
  }) as Program
  program.stdin.on('error', () => undefined)
  return program
}
