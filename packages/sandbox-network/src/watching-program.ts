import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { commandEnvironment } from './run-command.ts'

/** One run of the program. `ended` is aborted when it ends, could not be started, or the watch ends. */
export type Watching = { pid: number | undefined; ended: AbortSignal }

/**
 * Runs a program that prints a line for each event, and restarts it whenever it ends. It ends with this process, even
 * if this process is killed. Returns a function that ends the watch.
 */
export function keepWatching(options: {
  command: readonly [program: string, ...args: string[]]
  /** Called at each start, before the first line. Standard error is ignored unless it is handled. */
  begin: (watching: Watching) => { line: (line: string) => void; errorLine?: (line: string) => void }
  /** The program could not be started. `end` follows. */
  failed: (error: Error) => void
  /** Returns after how many milliseconds the program is restarted. Not called when the watch ends. */
  end: (how: { code: number | null; signal: NodeJS.Signals | null }) => number
}): () => void {
  const stopping = new AbortController()
  let timer: NodeJS.Timeout | undefined

  const watch = () => {
    const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...options.command], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: commandEnvironment,
    })
    child.unref()
    const kill = () => child.kill()
    stopping.signal.addEventListener('abort', kill, { once: true })
    const ended = new AbortController()
    const { line, errorLine } = options.begin({
      pid: child.pid,
      ended: AbortSignal.any([ended.signal, stopping.signal]),
    })
    createInterface({ input: child.stdout }).on('line', (text) => {
      if (!stopping.signal.aborted) line(text)
    })
    if (errorLine === undefined) child.stderr.resume()
    else createInterface({ input: child.stderr }).on('line', errorLine)
    child.once('error', (error) => {
      ended.abort()
      options.failed(error)
    })
    child.once('close', (code, signal) => {
      ended.abort()
      stopping.signal.removeEventListener('abort', kill)
      if (!stopping.signal.aborted) timer = setTimeout(watch, options.end({ code, signal })).unref()
    })
  }
  watch()
  return () => {
    stopping.abort()
    clearTimeout(timer)
  }
}
