import type { SandboxDetail, ThreadboxClient } from '@threadbox/sdk'

/** A wake takes less than this, unless it waits for memory. */
const heldMs = 10_000

/**
 * Wakes a sandbox. One that waits for the host’s memory keeps its position without this request, so the request is
 * aborted: a browser has six connections to the app in all tabs together, and such a wait can take hours.
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
