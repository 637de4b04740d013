import type { DiskStore } from '@threadbox/disk-store'
import type { SandboxLimits } from '@threadbox/domain'
import type { HostSandbox } from '@threadbox/protocol/host'
import type { SandboxNetwork } from '@threadbox/sandbox-network'
import type { Spare, Spares } from '../../boots/spares/spares.ts'
import type { BaseImages } from '../../machine/images/base-images.ts'
import type { AddressBook } from '../../machine/network/address-book.ts'
import type { Attachments } from '../../machine/network/attachments.ts'
import type { SandboxesStore, StoredSandbox } from '../../machine/state/sandboxes.store.ts'

export type CreatePorts = {
  sandboxes: SandboxesStore
  addresses: AddressBook
  attachments: Attachments
  images: BaseImages
  spares: Spares
  disks: DiskStore
  network: SandboxNetwork
  clock: () => number
  /** Removes what exists of a sandbox that could not be made. */
  remove: (sandbox: StoredSandbox) => Promise<void>
}

export type WantedSandbox = {
  limits: SandboxLimits
  egress: HostSandbox['egress']
  hashKey?: string | undefined
}

/** Row first, then what it describes: what a crash leaves without a row would have no owner. */
export async function createSandbox(
  ports: CreatePorts,
  wanted: WantedSandbox & { sandboxId: string },
): Promise<StoredSandbox> {
  const { sandboxId, limits, egress } = wanted
  const manifestKey = wanted.hashKey ?? null
  const imageId = await ports.images.current()
  const row = { sandboxId, imageId, limits, egress, manifestKey, createdAt: ports.clock(), isDeleting: false }
  const spare = ports.spares.take({ imageId, limits })
  if (spare !== undefined) return await takeSpare(ports, { row, spare })
  const sandbox = await ports.addresses.assign(async (address) => {
    const own = { ...row, placeId: sandboxId, hostname: null, address }
    await ports.sandboxes.insert(own)
    return own
  })
  const made = await Promise.allSettled([
    ports.disks.createDisk({ diskId: sandboxId, imageId, limitBytes: limits.diskBytes }),
    ports.attachments.prepare(sandbox),
  ])
  const failure = made.find((result) => result.status === 'rejected')
  if (failure === undefined) return sandbox
  await ports.remove(sandbox)
  throw failure.reason
}

/** A spare's allocation becomes a sandbox's. The parts of the order that are not fixed at boot are applied to it. */
async function takeSpare(
  ports: CreatePorts,
  { row, spare }: { row: Omit<StoredSandbox, 'placeId' | 'hostname' | 'address'>; spare: Spare },
): Promise<StoredSandbox> {
  const { placeId, address, waiting } = spare
  const sandbox = { ...row, placeId, address, hostname: waiting.hostname }
  await ports.sandboxes.insert(sandbox)
  const { diskBytes } = row.limits
  if (diskBytes !== spare.limits.diskBytes) await ports.disks.setDiskLimit({ diskId: placeId, limitBytes: diskBytes })
  if (row.egress.kind !== 'open') await ports.network.setEgress({ sandboxId: placeId, egress: row.egress })
  return sandbox
}
