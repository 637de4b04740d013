import type { DiskStore } from '@threadbox/disk-store'
import type { SandboxLimits } from '@threadbox/domain'
import { isErrorOf } from '@threadbox/errors'
import { bootMismatch } from '@threadbox/protocol/gateway'
import type { HostApi, HostSandbox } from '@threadbox/protocol/host'
import type { Spares } from '../../boots/spares/spares.ts'
import { hostShuttingDown, sandboxDeleting, sandboxNotFound } from '../../machine/errors/orders.errors.ts'
import type { BootsStore, StoredBoot } from '../../machine/state/boots.store.ts'
import type { SandboxesStore, StoredSandbox } from '../../machine/state/sandboxes.store.ts'
import type { WantedSandbox } from '../sandboxes/create-sandbox.ts'
import type { OrderContext } from '../sandboxes/order-context.ts'

export type SandboxOrderPorts = {
  context: OrderContext
  sandboxes: SandboxesStore
  boots: BootsStore
  disks: Pick<DiskStore, 'diskUsage'>
  spares: Pick<Spares, 'pauseRefillDuring'>
  create(wanted: WantedSandbox & { sandboxId: string }): Promise<StoredSandbox>
  change(wanted: { sandbox: StoredSandbox; limits: SandboxLimits; egress: HostSandbox['egress'] }): Promise<void>
  start(order: { sandbox: StoredSandbox; bootId: string; hostname: string }): Promise<void>
  stop(order: { sandbox: StoredSandbox; boot: StoredBoot }): Promise<void>
  remove(sandbox: StoredSandbox): Promise<void>
}

/** Implements the host API's requests about one sandbox, and the list of all that are not being deleted. Those that change it hold its lock. */
export function sandboxOrders(
  ports: SandboxOrderPorts,
): Pick<HostApi, 'ensure' | 'change' | 'start' | 'stop' | 'delete' | 'get' | 'list'> {
  const { context, sandboxes, boots } = ports
  const { lock, requireSandbox, toHostSandbox } = context
  const applyChange = async (
    sandbox: StoredSandbox,
    wanted: { limits: SandboxLimits; egress: HostSandbox['egress'] },
  ) => {
    await ports.change({ sandbox, ...wanted })
    return await toHostSandbox({ ...sandbox, ...wanted })
  }
  return {
    ensure: (sandboxId, wanted) =>
      lock(sandboxId, async () => {
        const sandbox = await sandboxes.find(sandboxId)
        if (sandbox === undefined) {
          const create = () => ports.create({ sandboxId, ...wanted })
          return await toHostSandbox(await ports.spares.pauseRefillDuring(create))
        }
        if (sandbox.isDeleting) throw sandboxDeleting({ sandboxId })
        // The request's `hashKey` is stored as `manifestKey`.
        const { limits, egress, hashKey } = wanted
        if (hashKey !== undefined && hashKey !== sandbox.manifestKey) await sandboxes.setManifestKey(sandboxId, hashKey)
        return await applyChange(sandbox, { limits, egress })
      }),
    change: (sandboxId, wanted) =>
      lock(sandboxId, async () => {
        const sandbox = await requireSandbox(sandboxId)
        const { limits = sandbox.limits, egress = sandbox.egress } = wanted
        return await applyChange(sandbox, { limits, egress })
      }),
    start: (sandboxId, order) =>
      lock(sandboxId, async () => {
        const sandbox = await requireSandbox(sandboxId)
        if (context.isShuttingDown()) throw hostShuttingDown({})
        await ports.spares.pauseRefillDuring(() => ports.start({ sandbox, ...order }))
        return await toHostSandbox(sandbox)
      }),
    stop: (sandboxId, { bootId }) =>
      lock(sandboxId, async () => {
        const sandbox = await requireSandbox(sandboxId)
        const boot = await boots.current(sandboxId)
        if (boot !== undefined && boot.bootId !== bootId) {
          throw bootMismatch({ sandboxId, bootId, currentBootId: boot.bootId })
        }
        // Without a boot, the sandbox has already stopped.
        if (boot !== undefined) await ports.stop({ sandbox, boot })
        return await toHostSandbox(sandbox)
      }),
    delete: (sandboxId) =>
      lock(sandboxId, async () => {
        const sandbox = await sandboxes.find(sandboxId)
        if (sandbox !== undefined) await ports.remove(sandbox)
      }),
    get: async (sandboxId, { usage } = {}) => {
      const sandbox = await sandboxes.find(sandboxId)
      if (sandbox === undefined || sandbox.isDeleting) throw sandboxNotFound({ sandboxId })
      const presented = await toHostSandbox(sandbox)
      return usage === true ? { ...presented, diskUsedBytes: await diskUsedBytes(ports, sandbox.placeId) } : presented
    },
    list: async () => {
      const all = await sandboxes.list()
      return await Promise.all(all.filter(({ isDeleting }) => !isDeleting).map(toHostSandbox))
    },
  }
}

/** Returns null if the disk does not exist: it is lost. */
async function diskUsedBytes({ disks }: Pick<SandboxOrderPorts, 'disks'>, diskId: string): Promise<number | null> {
  try {
    return (await disks.diskUsage(diskId)).usedBytes
  } catch (error) {
    if (isErrorOf({ code: 'disk.not-found' }, error)) return null
    throw error
  }
}
