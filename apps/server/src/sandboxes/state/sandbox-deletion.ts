import type { SandboxState } from '@threadbox/domain'
import type { HostClient } from '../host/host-client.ts'
import type { ChangeSandbox } from './sandbox-changes.ts'
import type { SandboxStore } from './sandboxes.store.ts'

/**
 * Removes the sandbox of a thread from its host: processes, network, disk. Called again after a crash it goes on; when
 * the host does not answer it fails, and the operation tries again later.
 */
export async function eraseSandbox(
  dependencies: { store: SandboxStore; host: HostClient; change: ChangeSandbox },
  threadId: string,
): Promise<void> {
  const { store, host, change } = dependencies
  for (let row = await store.find(threadId); row !== undefined; row = await store.find(threadId)) {
    if (row.state !== ('deleting' satisfies SandboxState)) {
      await change(row, { event: 'delete-requested' })
      continue
    }
    await host.delete(row.id)
    await store.erase(threadId)
  }
}
