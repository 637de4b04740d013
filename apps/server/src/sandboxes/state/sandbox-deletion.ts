import type { HostClient } from '../host/host-client.ts'
import type { SandboxStore } from './sandboxes.store.ts'
import type { Transition } from './transitions.ts'

/**
 * Removes a thread’s sandbox from its host: processes, network, disk. A call after a crash continues. Fails if the host
 * does not respond, and the operation tries again later.
 */
export async function eraseSandbox(
  dependencies: {
    store: SandboxStore
    host: HostClient
    transition: Transition
    /** Deletes the archived files of this sandbox. */
    forgetArchive(sandboxId: string): Promise<void>
  },
  threadId: string,
): Promise<void> {
  const { store, host, transition } = dependencies
  for (let row = await store.find(threadId); row !== undefined; row = await store.find(threadId)) {
    if (row.state !== 'deleting') {
      await transition(row, { type: 'delete-requested', cause: null })
      continue
    }
    await host.delete(row.id)
    await dependencies.forgetArchive(row.id)
    await store.erase(threadId)
  }
}
