import type { DiskStore } from '@threadbox/disk-store'
import { isErrorOf } from '@threadbox/errors'
import type { HostApi } from '@threadbox/protocol/host'
import { hostBusy } from '../../machine/errors/orders.errors.ts'
import type { BackgroundWork } from '../../machine/programs/background-work.ts'
import type { StoredSandbox } from '../../machine/state/sandboxes.store.ts'
import type { Snapshots } from '../../memory/snapshots/snapshots.ts'
import type { OrderContext } from '../sandboxes/order-context.ts'

export type SnapshotOrderPorts = {
  context: OrderContext
  snapshots: Snapshots
  disks: DiskStore
  background: Pick<BackgroundWork, 'isFree' | 'inTurn'>
}

/** Orders about what a disk contained at earlier moments. */
export function snapshotOrders({
  context,
  snapshots,
  disks,
  background,
}: SnapshotOrderPorts): Pick<HostApi, 'takeSnapshot' | 'snapshots' | 'removeSnapshot' | 'removeSnapshotMemory'> {
  const { lock, requireSandbox } = context
  /** A lost disk uses no space. */
  const usageOf = async ({ placeId, limits }: StoredSandbox) =>
    await disks.diskUsage(placeId).catch((error: unknown) => {
      if (isErrorOf({ code: 'disk.not-found' }, error)) return { usedBytes: 0, limitBytes: limits.diskBytes }
      throw error
    })
  return {
    takeSnapshot: async (sandboxId, { ifFree, ...order }) => {
      const take = () =>
        lock(sandboxId, async () => {
          const sandbox = await requireSandbox(sandboxId)
          const taken = await snapshots.take({ sandbox, ...order })
          return { ...taken, ...(await usageOf(sandbox)) }
        })
      if (ifFree !== true) return await take()
      if (!(await background.isFree())) throw hostBusy({})
      return await background.inTurn(take)
    },
    snapshots: async (sandboxId) => {
      const sandbox = await requireSandbox(sandboxId)
      return { snapshots: await snapshots.list(sandbox), ...(await usageOf(sandbox)) }
    },
    removeSnapshot: (sandboxId, snapshotId) =>
      lock(sandboxId, async () => snapshots.remove({ sandbox: await requireSandbox(sandboxId), snapshotId })),
    removeSnapshotMemory: (sandboxId, snapshotId) =>
      lock(sandboxId, async () => snapshots.removeMemory({ sandbox: await requireSandbox(sandboxId), snapshotId })),
  }
}
