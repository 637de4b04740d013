import { readFileSync } from 'node:fs'
import { parseMachineChecks, renderChecks } from '../installation/checks.logic.ts'
import { installationChecks } from '../installation/installation-checks.ts'

/**
 * `doctor`: reports the launcher’s checks of the machine (`machineChecks`, a file), whether the processes run and
 * respond, and the host daemon’s checks, including one from inside a real sandbox. Exit code 1 if a check failed.
 */
export async function doctorCommand(options: {
  dataDir: string
  json: boolean
  machineChecks?: string
}): Promise<number> {
  const machine = options.machineChecks ? parseMachineChecks(readFileSync(options.machineChecks, 'utf8')) : []
  const checks = [...machine, ...(await installationChecks(options.dataDir))]
  process.stdout.write(`${options.json ? JSON.stringify({ checks }) : renderChecks(checks)}\n`)
  return checks.some((check) => check.state === 'failed') ? 1 : 0
}
