import { isErrorOf, isThreadboxError } from '@threadbox/errors'
import { backupSteps } from '../installation/backups/backup-status.ts'
import { backupAlreadyRunning } from '../installation/backups/backups.errors.ts'
import { commands } from './commands.ts'
import { makeContext, type ProgramContext } from './context.ts'
import { recordFailure } from './records.ts'

/**
 * Backups of an installation, and their way back. Runs as the server’s user, beside a running server; only `restore-files` and
 * `restore-disks` need it to be stopped. `daily`, for a server, is all steps of a backup, and prints its progress. Ends with 1 if
 * something is damaged or lost.
 */
async function main(): Promise<number> {
  const [name = '', ...words] = process.argv.slice(2)
  process.umask(0o077)
  const context = makeContext(process.env, process.stdin)
  if (name !== 'daily') return await runCommand(context, name, words)
  for (const step of backupSteps) {
    process.stdout.write(`step ${step}\n`)
    const ended = await runCommand(context, step, ['progress'])
    if (ended !== 0) return ended
  }
  return 0
}

async function runCommand(context: ProgramContext, name: string, words: readonly string[]): Promise<number> {
  const command = commands[name]
  if (command === undefined) throw new Error(`Unknown command: ${name}`)
  const step = backupSteps.find((each) => each === name)
  const record = async (cause: Error) => {
    if (step !== undefined && !isErrorOf(backupAlreadyRunning, cause)) await recordFailure(context, { step, cause })
  }
  const { lines, isFailed, failure } = await command(context, words).catch(async (error: Error) => {
    await record(error)
    throw error
  })
  if (failure !== undefined) await record(failure)
  process.stdout.write(lines.map((line) => `${line}\n`).join(''))
  return isFailed === true || failure !== undefined ? 1 : 0
}

process.exitCode = await main().catch((error: unknown) => {
  const remedy = isThreadboxError(error) ? `\n${error.remedy}` : ''
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}${remedy}\n`)
  return 1
})
