import { readInstallation } from '../installation/data-directory.ts'
import { identify, writeProcessRecord } from '../installation/process-record.ts'

/**
 * `record-process`: records a process, as the supervisor does for each program it starts. Under systemd each unit runs
 * this.
 */
export async function recordProcessCommand(options: {
  dataDir: string
  program: 'host' | 'server'
  pid: string
}): Promise<number> {
  const found = identify(Number(options.pid))
  if (found === undefined) return 1
  writeProcessRecord(readInstallation(options.dataDir).record(options.program), found)
  return 0
}
