import { readInstallation } from '../installation/data-directory.ts'
import { type InstallationStatus, readStatus } from '../installation/status.ts'

/** `status`: exit code 0 if everything runs and responds, 1 otherwise. */
export async function statusCommand(options: { dataDir: string; json: boolean }): Promise<number> {
  const status = await readStatus(readInstallation(options.dataDir))
  process.stdout.write(`${options.json ? JSON.stringify(status) : renderStatus(status)}\n`)
  return status.host === 'running' && status.isServing ? 0 : 1
}

export function renderStatus(status: InstallationStatus): string {
  const preparing = status.preparing?.length ? `\nPreparing  ${status.preparing.join(', ')}` : ''
  const problem = status.imageProblem === null ? '' : `\nBase image ${status.imageProblem}`
  const sandboxes = status.awakeSandboxes === null ? 'host daemon not responding' : `${status.awakeSandboxes} awake`
  return [
    `Address    ${status.address || 'not set'} ${status.isServing ? '(responding)' : '(not responding)'}`,
    `Server     ${status.server}`,
    `Host       ${status.host}`,
    `Sandboxes  ${sandboxes}${preparing}${problem}`,
    `Release    ${status.release ?? 'none'}`,
    `Data       ${status.dataDirectory}`,
  ].join('\n')
}
