import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { type ProgramName, startProgram } from './start-program.ts'

/** A few gigabytes are read within a minute. */
const timeoutMs = 10 * 60_000

/**
 * Runs a program that reads much, which would block the daemon, with an order in JSON; resolves with its output. Throws
 * what `failed` makes of a failure.
 */
export async function runProgram(
  name: ProgramName,
  options: { directory: string; order: unknown; failed: (problem: string) => Error },
): Promise<unknown> {
  const program = startProgram(name, { directory: options.directory, timeoutMs })
  program.stdin.end(JSON.stringify(options.order))
  const [said, problem, [code]] = await Promise.all([
    text(program.stdout),
    text(program.stderr),
    once(program, 'exit') as Promise<[number | null]>,
  ])
  if (code !== 0) throw options.failed(problem.slice(-2000))
  return JSON.parse(said)
}
