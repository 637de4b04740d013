import type { SandboxDetail, ThreadboxClient } from '@threadbox/sdk'

/** A wake takes less than this, unless it waits for memory. */
const heldMs = 10_000

/**
 * Wakes a sandbox. One that has to wait for the host's memory keeps its position without this request, which is then given
 * back: in all tabs together a browser has six connections to the app, and such a wait can take hours.
 */
export async function wakeSandbox(
  client: ThreadboxClient,
  threadId: string,
  held = AbortSignal.timeout(heldMs),
): Promise<SandboxDetail | undefined> {
  return await client.sandboxes.wake(threadId, held).catch((error: unknown) => {
    if (!held.aborted) throw error
    return undefined
  })
}
