import { execFile } from 'node:child_process'
import { commandFailed } from './disk-store.errors.ts'

/** Long enough for a file system made over a slow disk; a command that hangs must not hang the daemon for ever. */
const defaultTimeoutMs = 120_000
/** What of standard error goes into an error: the last lines say why. */
const stderrTailLength = 2_000

/**
 * Runs one program with exactly these arguments (no shell) and returns its standard output.
 * Throws `disk.command-failed` with the end of its standard error.
 */
export function runCommand(
  command: readonly [program: string, ...args: string[]],
  options: { timeoutMs?: number } = {},
): Promise<string> {
  const [program, ...args] = command
  const timeout = options.timeoutMs ?? defaultTimeoutMs
  return new Promise((resolve, reject) => {
    execFile(
      program,
      args,
      { timeout, maxBuffer: 64 * 1024 * 1024, env: { PATH: systemPath, LC_ALL: 'C' } },
      (error, stdout, stderr) => {
        if (error === null) return resolve(stdout)
        const reason = stderr.trim().slice(-stderrTailLength) || error.message
        reject(commandFailed({ command: command.join(' '), reason }, { cause: error }))
      },
    )
  })
}

/** Where system programs are on Debian and Ubuntu, whatever PATH the daemon was started with. */
const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
