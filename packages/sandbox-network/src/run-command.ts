import { execFile } from 'node:child_process'
import { commandFailed } from './sandbox-network.errors.ts'

/** Each command takes milliseconds; one that hangs must not hang the daemon forever. */
const timeoutMs = 30_000
/** How much of standard error an error contains: the last lines have the reason. */
const stderrTailLength = 2_000

/** The directories of system programs on Debian and Ubuntu, regardless of the daemon’s PATH; messages in English. */
export const commandEnvironment = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
}

/**
 * Runs one program with exactly these arguments (no shell), feeds it `input` and returns its standard output.
 * Throws `network.command-failed` with the end of its standard error.
 */
export function runCommand(
  command: readonly [program: string, ...args: string[]],
  options: { input?: string } = {},
): Promise<string> {
  const [program, ...args] = command
  return new Promise((resolve, reject) => {
    const child = execFile(
      program,
      args,
      { timeout: timeoutMs, maxBuffer: 64 * 1024 * 1024, env: commandEnvironment },
      (error, stdout, stderr) => {
        if (error === null) return resolve(stdout)
        const reason = stderr.trim().slice(-stderrTailLength) || error.message
        reject(commandFailed({ command: command.join(' '), reason }, { cause: error }))
      },
    )
    // A program that ends without reading its input is reported by its exit code.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(options.input ?? '')
  })
}
