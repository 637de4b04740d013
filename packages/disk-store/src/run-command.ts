import { execFile, spawn } from 'node:child_process'
import { commandFailed } from './disk-store.errors.ts'

/** Long enough to create a file system on a slow disk; a command that hangs must not hang the daemon forever. */
const defaultTimeoutMs = 120_000
/** How much of standard error an error contains: the last lines have the reason. */
const stderrTailLength = 2_000

/**
 * Runs one program with exactly these arguments (no shell) and returns its standard output.
 * Throws `disk.command-failed` with the end of its standard error.
 */
export function runCommand(
  command: readonly [program: string, ...args: string[]],
  options: { timeoutMs?: number; encoding?: BufferEncoding } = {},
): Promise<string> {
  const [program, ...args] = command
  const timeout = options.timeoutMs ?? defaultTimeoutMs
  return new Promise((resolve, reject) => {
    execFile(
      program,
      args,
      { timeout, maxBuffer: 64 * 1024 * 1024, env: systemEnvironment, encoding: options.encoding ?? 'utf8' },
      (error, stdout, stderr) => {
        if (error === null) return resolve(stdout)
        const reason = stderr.trim().slice(-stderrTailLength) || error.message
        reject(commandFailed({ command: command.join(' '), reason }, { cause: error }))
      },
    )
  })
}

/**
 * Runs one program as {@link runCommand} does and passes its standard output to `read` as it arrives. False: `read`
 * returned false, and the program was killed.
 */
export async function readCommand(
  command: readonly [program: string, ...args: string[]],
  options: { timeoutMs: number; read: (chunk: Buffer) => boolean },
): Promise<boolean> {
  const [program, ...args] = command
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: systemEnvironment,
    timeout: options.timeoutMs,
    killSignal: 'SIGKILL',
  })
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString()).slice(-stderrTailLength)
  })
  const ended = new Promise<{ exitCode: number | null; signal: string | null }>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (exitCode, signal) => resolve({ exitCode, signal }))
  }).catch((error: unknown) => {
    throw commandFailed({ command: command.join(' '), reason: String(error) }, { cause: error })
  })
  // If both fail, the caller gets the error of the read first.
  ended.catch(() => undefined)
  try {
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) if (!options.read(chunk)) return false
    const { exitCode, signal } = await ended
    if (exitCode === 0) return true
    const reason = stderr.trim() || `it ended with ${exitCode ?? signal}`
    throw commandFailed({ command: command.join(' '), reason })
  } finally {
    child.kill('SIGKILL')
    await ended.catch(() => undefined)
  }
}

/** The directories of system programs on Debian and Ubuntu, regardless of the daemon’s PATH. */
const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
export const systemEnvironment = { PATH: systemPath, LC_ALL: 'C' }
