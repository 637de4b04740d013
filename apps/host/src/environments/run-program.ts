import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'

/** A few gigabytes are read within a minute. */
const timeoutMs = 10 * 60_000

/** Programs that read much, each in a process of its own: in the daemon it would keep others waiting. */
const programs = {
  'clean-disk': 'disk-cleaner',
  'search-memory': 'memory-searcher',
} as const

/** Runs one in a directory, with an order in JSON; resolves with what it answered. Throws what `failed` makes of a failure. */
export async function runProgram(
  name: keyof typeof programs,
  options: { directory: string; order: unknown; failed: (problem: string) => Error },
): Promise<unknown> {
  const isSource = import.meta.filename.endsWith('.ts')
  const here = dirname(import.meta.filename)
  const program = isSource ? join(here, name, 'main.ts') : join(here, '..', programs[name], 'main.js')
  const child = spawn(process.execPath, [program], {
    ...{ cwd: options.directory, env: {}, timeout: timeoutMs, killSignal: 'SIGKILL' as const },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdin.on('error', () => undefined)
  child.stdin.end(JSON.stringify(options.order))
  const [said, problem, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ])
  if (code !== 0) throw options.failed(problem.slice(-2000))
  return JSON.parse(said)
}
