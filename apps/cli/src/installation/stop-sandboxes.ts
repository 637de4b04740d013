import { defineError } from '@threadbox/errors'
import { hostPaths } from '@threadbox/protocol/host'
import type { Installation } from './data-directory.ts'
import { askHost } from './host-client.ts'

/** One sandbox stops within seconds. A host that shuts down allows about this long for all of them. */
const stopTimeoutMs = 60_000

export const sandboxesNotStopped = defineError<{ status: number }>({
  code: 'installation.sandboxes-not-stopped',
  kind: 'unavailable',
  message: ({ status }) =>
    `Couldn’t stop all sandboxes: the host daemon responded with HTTP status ${status}. Some may still be running.`,
  remedy: () => 'Find the cause in `./threadbox logs host`, then run the command again.',
})

/** The outcome of stopping all sandboxes. `failed` contains the reasons. */
export type StopOutcome = { stopped: string[]; failed: string[] }

/**
 * Tells the host to stop all running sandboxes in parallel, including spares, so that nothing is left when the daemons
 * exit. Files are kept. Rejects if the host can’t be reached.
 */
export async function stopSandboxes(installation: Installation): Promise<StopOutcome> {
  const socketPath = installation.settings.hostSocket
  const response = await askHost({ socketPath, path: hostPaths.shutdown(), body: {}, timeoutMs: stopTimeoutMs })
  if (response.status !== 200) throw sandboxesNotStopped({ status: response.status })
  return parseOutcome(response.body)
}

function parseOutcome(body: unknown): StopOutcome {
  const { stopped, failed } = (body ?? {}) as { stopped?: unknown; failed?: unknown }
  return {
    stopped: Array.isArray(stopped) ? stopped.map(String) : [],
    failed: Array.isArray(failed) ? failed.map(({ sandboxId, reason }) => `${sandboxId ?? 'a spare'} (${reason})`) : [],
  }
}
