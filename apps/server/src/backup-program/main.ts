import { isThreadboxError } from '@threadbox/errors'
import { backupStatusFile, changeBackupStatus } from '../installation/backups/backup-status.ts'
import { commands } from './commands.ts'
import { makeContext } from './context.ts'

const scheduled = ['run', 'verify', 'prune']

/**
 * Backups of an installation, and their way back. Runs as the server’s user, beside a running server; only `restore-files` and
 * `restore-disks` need it to be stopped. Ends with 1 if something is damaged or lost.
 */
async function main(): Promise<number> {
  const [name = '', ...words] = process.argv.slice(2)
  const command = commands[name]
  if (command === undefined) throw new Error(`Unknown command: ${name}`)
  process.umask(0o077)
  const context = makeContext(process.env, process.stdin)
  const { lines, isFailed = false } = await command(context, words).catch(async (error: Error) => {
    // A schedule has no reader: metrics tell of it.
    if (scheduled.includes(name)) {
      await changeBackupStatus(backupStatusFile(context.directory), { failedAt: Date.now(), problem: error.message })
    }
    throw error
  })
  process.stdout.write(lines.map((line) => `${line}\n`).join(''))
  return isFailed ? 1 : 0
}

process.exitCode = await main().catch((error: unknown) => {
  const remedy = isThreadboxError(error) ? `\n${error.remedy}` : ''
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}${remedy}\n`)
  return 1
})
