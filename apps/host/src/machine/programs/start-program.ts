import { type ChildProcess, spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'

/** Programs beside the daemon, each in its own process: their paths in the source, and in a release. */
const programs = {
  'clean-disk': {
    source: new URL('../../copies/environments/clean-disk/main.ts', import.meta.url),
    release: 'disk-cleaner',
  },
  egress: { source: new URL('../../../../egress/src/main.ts', import.meta.url), release: 'egress' },
  gateway: { source: new URL('../../../../gateway/src/main.ts', import.meta.url), release: 'gateway' },
  'pack-disk': {
    source: new URL('../../copies/environments/pack-disk/main.ts', import.meta.url),
    release: 'disk-packer',
  },
  'read-disk': { source: new URL('../../copies/sleeping/read-disk/main.ts', import.meta.url), release: 'disk-reader' },
  'search-memory': {
    source: new URL('../../copies/environments/search-memory/main.ts', import.meta.url),
    release: 'memory-searcher',
  },
  'unpack-disk': {
    source: new URL('../../copies/environments/unpack-disk/main.ts', import.meta.url),
    release: 'disk-unpacker',
  },
} as const

export type ProgramName = keyof typeof programs
export type Program = ChildProcess & { stdin: Writable; stdout: Readable; stderr: Readable }

/** The file of a program: in the source, or in the release that this process runs from. */
export function programFile(name: ProgramName): string {
  const { source, release } = programs[name]
  const isSource = import.meta.filename.endsWith('.ts')
  return isSource ? fileURLToPath(source) : join(dirname(import.meta.filename), '..', release, 'main.js')
}

/** Starts a program in a directory, without the daemon's environment. The caller reads its output and its errors. */
export function startProgram(
  name: ProgramName,
  { directory, timeoutMs }: { directory: string; timeoutMs?: number },
): Program {
  const program = spawn(process.execPath, ['--disable-sigusr1', programFile(name)], {
    cwd: directory,
    env: {},
    killSignal: 'SIGKILL' as const,
    stdio: ['pipe', 'pipe', 'pipe'] as const,
    ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
  }) as Program
  program.stdin.on('error', () => undefined)
  return program
}
