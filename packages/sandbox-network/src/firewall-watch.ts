import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Logger } from '@threadbox/telemetry'
import { commandEnvironment } from './run-command.ts'

/** Somebody who ends `nft` again and again costs one process a second, and the table is looked at each time. */
const restartDelayMs = 1000

/**
 * Calls back each time the table was removed, by whomever, and each time it may have been: when what watches has ended
 * and when it watches again. Returns what ends the watching.
 */
export function watchTable(options: { table: string; logger: Logger; onMissing: () => void }): () => void {
  const { table, logger, onMissing } = options
  const stopping = new AbortController()
  let timer: NodeJS.Timeout | undefined

  const watch = () => {
    // Ends with this process, also when this process is killed.
    const child = spawn('setpriv', ['--pdeathsig', 'KILL', 'nft', 'monitor', 'destroy', 'tables'], {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: commandEnvironment,
    })
    child.unref()
    const end = () => child.kill()
    stopping.signal.addEventListener('abort', end, { once: true })
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (!stopping.signal.aborted && line.trim() === `delete table inet ${table}`) onMissing()
    })
    child.once('error', (error) => logger.error({ error }, 'the firewall cannot be watched'))
    child.once('close', (code, signal) => {
      stopping.signal.removeEventListener('abort', end)
      if (stopping.signal.aborted) return
      logger.warn({ code, signal }, 'what watches the firewall has ended; it is started again')
      onMissing()
      timer = setTimeout(() => {
        watch()
        onMissing()
      }, restartDelayMs).unref()
    })
  }
  watch()
  return () => {
    stopping.abort()
    clearTimeout(timer)
  }
}
