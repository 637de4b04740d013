import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Logger } from '@threadbox/telemetry'
import { commandEnvironment } from './run-command.ts'

/** Calls back each time the table is removed, by whomever. Returns what ends the watching. */
export function watchTable(options: { table: string; logger: Logger; onDestroyed: () => void }): () => void {
  const { table, logger, onDestroyed } = options
  let isStopped = false
  // Ends with this process, also when this process is killed.
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', 'nft', 'monitor', 'destroy', 'tables'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: commandEnvironment,
  })
  child.unref()
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (!isStopped && line.trim() === `delete table inet ${table}`) onDestroyed()
  })
  child.on('error', (error) => logger.error({ error }, 'the firewall cannot be watched'))
  child.on('exit', (code) => {
    if (!isStopped) logger.error({ code }, 'the firewall is no longer watched')
  })
  return () => {
    isStopped = true
    child.kill()
  }
}
