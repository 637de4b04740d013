import { isErrorOf } from '@threadbox/errors'
import type { HostSnapshots, SnapshotMemoryOrder, TakenSnapshot } from '@threadbox/protocol/host'
import type { StoredSandbox } from '../../machine/state/sandboxes.store.ts'
import type { OrdersParts } from './sandbox-orders.ts'

/** Orders about what a disk contained at earlier moments. */
export type SnapshotOrders = {
  takeSnapshot(sandboxId: string, order: { snapshotId: string; memory: SnapshotMemoryOrder }): Promise<TakenSnapshot>
  listSnapshots(sandboxId: string): Promise<HostSnapshots>
  removeSnapshot(sandboxId: string, snapshotId: string): Promise<void>
  removeSnapshotMemory(sandboxId: string, snapshotId: string): Promise<void>
}

export function makeSnapshotOrders(
  parts: Pick<OrdersParts, 'lock' | 'snapshots' | 'disks'> & {
    known: (sandboxId: string) => Promise<StoredSandbox>
  },
): SnapshotOrders {
  const { lock, snapshots, disks, known } = parts
  /** A disk that is lost takes nothing. */
  const usageOf = async ({ placeId, limits }: StoredSandbox) =>
    await disks.diskUsage(placeId).catch((error: unknown) => {
      if (isErrorOf({ code: 'disk.not-found' }, error)) return { usedBytes: 0, limitBytes: limits.diskBytes }
      throw error
    })
  return {
    takeSnapshot: (sandboxId, order) =>
      lock(sandboxId, async () => {
        const sandbox = await known(sandboxId)
        const taken = await snapshots.take({ sandbox, ...order })
        return { ...taken, ...(await usageOf(sandbox)) }
      }),
    listSnapshots: async (sandboxId) => {
      const sandbox = await known(sandboxId)
      return { snapshots: await snapshots.list(sandbox), ...(await usageOf(sandbox)) }
    },
    removeSnapshot: (sandboxId, snapshotId) =>
      lock(sandboxId, async () => snapshots.remove({ sandbox: await known(sandboxId), snapshotId })),
    removeSnapshotMemory: (sandboxId, snapshotId) =>
      lock(sandboxId, async () => snapshots.removeMemory({ sandbox: await known(sandboxId), snapshotId })),
  }
}
