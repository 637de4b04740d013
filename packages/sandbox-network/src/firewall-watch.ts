import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '@threadbox/telemetry'
import { commandEnvironment, runCommand } from './run-command.ts'

/**
 * Limits restarts: if `nft` is ended repeatedly, this costs one process a second, and the table is checked each time.
 */
const restartDelayMs = 1000

type Command = readonly [program: string, ...args: string[]]
const monitorTables: Command = ['nft', 'monitor', 'destroy', 'tables']
/** The delay between the first marks; doubles after each. */
const markDelayMs = 50

/**
 * Calls `onMissing` each time the table was removed by any process, and each time it may have been: when the watching
 * program ends, when it loses events, and when it starts to watch. The program does not report its start, so a marker
 * table is created and removed until the program reports it. Returns a function that ends the watch.
 */
export function watchTable(options: {
  table: string
  logger: Logger
  onMissing: () => void
  monitor?: Command
}): () => void {
  const { table, logger, onMissing } = options
  const [program, ...args] = options.monitor ?? monitorTables
  const stopping = new AbortController()
  let timer: NodeJS.Timeout | undefined

  const watch = () => {
    // Ends with this process, even if this process is killed.
    const child = spawn('setpriv', ['--pdeathsig', 'KILL', program, ...args], {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: commandEnvironment,
    })
    child.unref()
    const end = () => child.kill()
    stopping.signal.addEventListener('abort', end, { once: true })
    const mark = `${table}_watch_${child.pid}`
    const begun = new AbortController()
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (stopping.signal.aborted) return
      const isFirst = line.trim() === `delete table inet ${mark}` && !begun.signal.aborted
      if (isFirst) begun.abort()
      // An error in a comment means that events were lost.
      if (isFirst || line.startsWith('# ERROR') || line.trim() === `delete table inet ${table}`) onMissing()
    })
    void leaveMarks({ mark, until: AbortSignal.any([begun.signal, stopping.signal]), logger })
    child.once('error', (error) => {
      begun.abort()
      logger.error({ err: error }, 'the firewall cannot be watched')
    })
    child.once('close', (code, signal) => {
      begun.abort()
      stopping.signal.removeEventListener('abort', end)
      if (stopping.signal.aborted) return
      logger.warn({ code, signal }, 'the firewall watch has ended and will be restarted')
      onMissing()
      timer = setTimeout(watch, restartDelayMs).unref()
    })
  }
  watch()
  return () => {
    stopping.abort()
    clearTimeout(timer)
  }
}

async function leaveMarks(options: { mark: string; until: AbortSignal; logger: Logger }): Promise<void> {
  const { mark, until, logger } = options
  const input = `add table inet ${mark}\ndelete table inet ${mark}\n`
  for (let delayMs = markDelayMs; !until.aborted; delayMs = Math.min(2 * delayMs, restartDelayMs)) {
    await runCommand(['nft', '-f', '-'], { input }).catch((error) =>
      logger.warn({ err: error }, 'whether the firewall is being watched could not be checked'),
    )
    await delay(delayMs, undefined, { signal: until, ref: false }).catch(() => undefined)
  }
}
