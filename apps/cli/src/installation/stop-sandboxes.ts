import type { Installation } from './data-directory.ts'
import { askHost } from './host-client.ts'

type Awake = { sandboxId: string; bootId: string }

const listTimeoutMs = 5000
/** One sandbox stops within seconds; a machine that shuts down gives about this long for all of them. */
const stopTimeoutMs = 60_000

/**
 * Has the host stop every sandbox that runs, all at once, so that nothing is left when the daemons are gone; files stay.
 * Rejects when the host cannot be asked; a sandbox that did not stop is named in the answer.
 */
export async function stopSandboxes(installation: Installation): Promise<{ stopped: string[]; failed: string[] }> {
  const socketPath = installation.settings.hostSocket
  const list = await askHost({ socketPath, path: '/v1/sandboxes', timeoutMs: listTimeoutMs })
  const outcomes = await Promise.all(
    awakeSandboxes(list.body).map(async ({ sandboxId, bootId }) => {
      const isStopped = await askHost({
        socketPath,
        path: `/v1/sandboxes/${encodeURIComponent(sandboxId)}/stop`,
        body: { bootId },
        timeoutMs: stopTimeoutMs,
      }).then(
        (answer) => answer.status < 300,
        () => false,
      )
      return { sandboxId, isStopped }
    }),
  )
  const named = (isStopped: boolean) =>
    outcomes.filter((outcome) => outcome.isStopped === isStopped).map((outcome) => outcome.sandboxId)
  // Spares belong to no thread, so no list shows them; this ends them and keeps the host from booting new ones.
  const rest = await askHost({ socketPath, path: '/v1/shutdown', body: {}, timeoutMs: stopTimeoutMs })
  return { stopped: named(true), failed: [...named(false), ...(rest.status < 300 ? [] : ['spare sandboxes'])] }
}

function awakeSandboxes(body: unknown): Awake[] {
  const sandboxes = (body as { sandboxes?: unknown } | null)?.sandboxes
  if (!Array.isArray(sandboxes)) return []
  return sandboxes.flatMap(({ sandboxId, bootId }: Partial<Awake>) =>
    typeof sandboxId === 'string' && typeof bootId === 'string' ? [{ sandboxId, bootId }] : [],
  )
}
