import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '@threadbox/telemetry'
import { runCommand } from './run-command.ts'
import { keepWatching } from './watching-program.ts'

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
  return keepWatching({
    command: options.monitor ?? monitorTables,
    begin: ({ pid, ended }) => {
      const mark = `${table}_watch_${pid}`
      const begun = new AbortController()
      void leaveMarks({ mark, until: AbortSignal.any([begun.signal, ended]), logger })
      return {
        line: (line) => {
          const isFirst = line.trim() === `delete table inet ${mark}` && !begun.signal.aborted
          if (isFirst) begun.abort()
          // An error in a comment means that events were lost.
          if (isFirst || line.startsWith('# ERROR') || line.trim() === `delete table inet ${table}`) onMissing()
        },
      }
    },
    failed: (error) => logger.error({ err: error }, 'the firewall cannot be watched'),
    end: (how) => {
      logger.warn(how, 'the firewall watch has ended and will be restarted')
      onMissing()
      return restartDelayMs
    },
  })
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
