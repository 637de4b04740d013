import { readInstallation } from '../installation/data-directory.ts'
import { rotateLogs } from '../supervisor/rotate-log.ts'

/** `rotate-logs`: rotates the logs, as the supervisor does every minute. Under systemd a timer runs this. */
export async function rotateLogsCommand(options: { dataDir: string }): Promise<number> {
  const failures = await rotateLogs(readInstallation(options.dataDir))
  for (const { log, error } of failures) process.stderr.write(`${log}: ${error}\n`)
  return failures.length === 0 ? 0 : 1
}
