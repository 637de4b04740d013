import { readInstallation } from '../installation/data-directory.ts'
import { stopSandboxes } from '../installation/stop-sandboxes.ts'

/** `stop-sandboxes`: stops all sandboxes. A stop of the whole service does this before the daemons exit. */
export async function stopSandboxesCommand(options: { dataDir: string }): Promise<number> {
  const { stopped, failed } = await stopSandboxes(readInstallation(options.dataDir))
  process.stdout.write(
    `${stopped.length} paused or stopped${failed.length ? `, failed to stop: ${failed.join(', ')}` : ''}\n`,
  )
  return failed.length === 0 ? 0 : 1
}
