import { isThreadboxError } from '@threadbox/errors'
import { hostPaths } from '@threadbox/protocol/host'
import { type Check, parseHostChecks } from './checks.logic.ts'
import { type Installation, readInstallation } from './data-directory.ts'
import { askHost } from './host-client.ts'
import { previewChecks } from './preview-checks.ts'
import { readStatus } from './status.ts'

/** Starting a sandbox for the check from inside takes a few seconds, on a loaded host much longer. */
const hostDoctorTimeoutMs = 120_000

/** Whether the processes run and respond, and what the host daemon finds, including one check from inside a sandbox. */
export async function installationChecks(dataDir: string): Promise<Check[]> {
  let installation: Installation
  try {
    installation = readInstallation(dataDir)
  } catch (error) {
    if (!isThreadboxError(error)) throw error
    return [
      { id: 'installed', title: 'Installed', state: 'skipped', detail: error.message, cure: 'Run `./threadbox up`.' },
    ]
  }
  return [
    ...(await processChecks(installation)),
    ...(await previewChecks(installation)),
    ...(await hostChecks(installation)),
  ]
}

async function processChecks(installation: Installation): Promise<Check[]> {
  const status = await readStatus(installation)
  const check = (id: string, title: string, isFine: boolean, detail: string): Check => ({
    id,
    title,
    state: isFine ? 'ok' : 'failed',
    detail,
    cure: isFine ? '' : 'Run `./threadbox up`. If it stops again, check `./threadbox logs`.',
  })
  return [
    check('host-runs', 'Host daemon', status.host === 'running', status.host),
    check('server-runs', 'Server', status.server === 'running', status.server),
    check(
      'address-answers',
      'Address',
      status.isServing,
      `${status.address} ${status.isServing ? 'is responding' : 'is not responding'}`,
    ),
  ]
}

async function hostChecks(installation: Installation): Promise<Check[]> {
  const title = 'Sandboxes'
  const fix = 'Check the last lines of `./threadbox logs host`.'
  try {
    const response = await askHost({
      socketPath: installation.settings.hostSocket,
      path: hostPaths.doctor(),
      timeoutMs: hostDoctorTimeoutMs,
    })
    const checks = parseHostChecks(response.body)
    if (checks.length > 0) return checks
    return [
      {
        id: 'host-doctor',
        title,
        state: 'failed',
        detail: `the host daemon responded with ${response.status}`,
        cure: fix,
      },
    ]
  } catch (error) {
    const detail = `couldn’t reach the host daemon: ${error instanceof Error ? error.message : String(error)}`
    return [{ id: 'host-doctor', title, state: 'failed', detail, cure: fix }]
  }
}
