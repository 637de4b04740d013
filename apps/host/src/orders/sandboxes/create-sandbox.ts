import { isDeepStrictEqual } from 'node:util'
import type { DiskStore } from '@threadbox/disk-store'
import type { SandboxLimits } from '@threadbox/domain'
import type { HostSandbox } from '@threadbox/protocol/host'
import type { SandboxNetwork } from '@threadbox/sandbox-network'
import type { Allocations } from '../../boots/allocations/allocations.ts'
import type { Spares } from '../../boots/spares/spares.ts'
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
  allocations: Pick<Allocations, 'take' | 'remove'>
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
  const flags = { isDeleting: false, isArchived: false }
  const row = { sandboxId, imageId, limits, egress, manifestKey, createdAt: ports.clock(), ...flags }
  const spare = ports.spares.take({ sandboxId, imageId, limits })
  if (spare !== undefined) {
    const { placeId, address, waiting } = spare
    const made = { placeId, address, hostname: waiting.hostname, diskBytes: spare.limits.diskBytes }
    return await adopt(ports, { row, made })
  }
  const prepared = ports.allocations.take({ imageId })
  if (prepared !== undefined) return await adoptPrepared(ports, { row, made: { ...prepared, hostname: null } })
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

type Adoption = {
  row: Omit<StoredSandbox, 'placeId' | 'hostname' | 'address'>
  made: Pick<StoredSandbox, 'placeId' | 'hostname' | 'address'> & { diskBytes: number }
}

/** An allocation that was made ahead becomes a sandbox's. The parts of the order that can change are applied to it. */
async function adopt(ports: CreatePorts, { row, made }: Adoption): Promise<StoredSandbox> {
  const { placeId, address, hostname } = made
  const sandbox = { ...row, placeId, address, hostname }
  await ports.sandboxes.insert(sandbox)
  const { diskBytes } = row.limits
  try {
    if (diskBytes !== made.diskBytes) await ports.disks.setDiskLimit({ diskId: placeId, limitBytes: diskBytes })
    if (!isDeepStrictEqual(row.egress, { kind: 'open' })) {
      await ports.network.setEgress({ sandboxId: placeId, egress: row.egress })
    }
  } catch (error) {
    await ports.remove(sandbox)
    throw error
  }
  return sandbox
}

/** An allocation that no sandbox was recorded for would stay until the next start of the daemon. */
async function adoptPrepared(ports: CreatePorts, adoption: Adoption): Promise<StoredSandbox> {
  try {
    return await adopt(ports, adoption)
  } catch (error) {
    const isRecorded = (await ports.sandboxes.find(adoption.row.sandboxId)) !== undefined
    if (!isRecorded) await ports.allocations.remove(adoption.made.placeId)
    throw error
  }
}
