import { makeSerial } from '@threadbox/concurrency'
import type { DiskStore } from '@threadbox/disk-store'
import { defaultSandboxLimits, makeId } from '@threadbox/domain'
import type { SandboxNetwork } from '@threadbox/sandbox-network'
import type { Logger } from '@threadbox/telemetry'
import type { BaseImages } from '../../machine/images/base-images.ts'
import type { AddressBook } from '../../machine/network/address-book.ts'
import type { Attachments } from '../../machine/network/attachments.ts'
import { type BackgroundWork, overdueAfterMs, pauseAfterMs } from '../../machine/programs/background-work.ts'
import type { SparesStore } from '../../machine/state/spares.store.ts'

/** A disk and a network under one ID that belong to no sandbox yet. `diskBytes`: the disk’s limit. */
export type PreparedAllocation = { placeId: string; address: string; imageId: string; diskBytes: number }

/**
 * Allocations that are made ahead, without a boot and so without memory, because a burst of new threads would wait for
 * programs. Recorded like spares, so a starting daemon removes its predecessor’s with them.
 */
export type Allocations = {
  /** Returns one with this image, which then belongs to the caller; undefined if none is ready. Others are refilled. */
  take(wanted: { imageId: string }): PreparedAllocation | undefined
  /** Makes the missing ones after a delay, if at least half are missing: together they need few programs. */
  refill(): void
  /**
   * Takes one with this image, or records the address of a new one, whose disk and network the caller makes. The next
   * start of the daemon removes what a crash leaves of it.
   */
  obtain(wanted: { imageId: string; diskBytes: number }): Promise<{ placeId: string; address: string }>
  /** Removes one that was taken and can’t be used. */
  remove(allocationId: string): Promise<void>
  /** Removes all that were not taken, and stops making them. */
  close(): Promise<void>
}

export type AllocationsPorts = {
  count: number
  background: BackgroundWork
  disks: DiskStore
  network: SandboxNetwork
  attachments: Attachments
  addresses: AddressBook
  images: Pick<BaseImages, 'current'>
  store: SparesStore
  clock: () => number
  randomBytes: (size: number) => Uint8Array
  logger: Logger
}

export function makeAllocations(ports: AllocationsPorts): Allocations {
  const { background, logger } = ports
  const ready = new Map<string, PreparedAllocation>()
  const filling = makeSerial()
  const removals = new Set<Promise<void>>()
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  const fill = async () => {
    await background.moment(overdueAfterMs)
    if (isClosed || ready.size > ports.count / 2) return
    await background.inTurn(async () => {
      const made = await makeAllocationsTogether(ports, ports.count - ready.size)
      for (const allocation of made) ready.set(allocation.placeId, allocation)
    })
  }
  const refill = () => {
    if (isClosed || ports.count === 0 || timer !== undefined) return
    timer = setTimeout(() => {
      timer = undefined
      // Tried again when the next one is taken: a full pool must not fill the log.
      filling(fill).catch((error: unknown) => logger.warn({ err: error }, 'allocations could not be prepared'))
    }, pauseAfterMs)
  }
  const drop = ({ placeId: allocationId }: PreparedAllocation) => {
    ready.delete(allocationId)
    const removal = removeAllocation(ports, allocationId)
      .catch((error: unknown) =>
        logger.warn({ err: error, allocationId }, 'a prepared allocation could not be removed'),
      )
      .finally(() => removals.delete(removal))
    removals.add(removal)
  }
  const take = ({ imageId }: { imageId: string }) => {
    refill()
    for (const allocation of ready.values()) {
      if (allocation.imageId === imageId) {
        ready.delete(allocation.placeId)
        return allocation
      }
      drop(allocation)
    }
    return undefined
  }
  return {
    take,
    obtain: async (wanted) => {
      const prepared = take(wanted)
      if (prepared === undefined) return await record(ports, wanted)
      await setLimit(ports, prepared, wanted.diskBytes)
      return prepared
    },
    refill,
    remove: (allocationId) => removeAllocation(ports, allocationId),
    close: async () => {
      isClosed = true
      clearTimeout(timer)
      for (const allocation of ready.values()) drop(allocation)
      await filling.settled()
      // Those that were being made.
      for (const allocation of ready.values()) drop(allocation)
      await Promise.all(removals)
    },
  }
}

/** The row first, as everywhere: what a crash leaves without one would have no owner. */
async function record(ports: AllocationsPorts, wanted: { imageId: string; diskBytes: number }) {
  const allocationId = makeId('sandbox', ports.randomBytes)
  return await ports.addresses.assign(async (address): Promise<PreparedAllocation> => {
    const row = { placeId: allocationId, address, imageId: wanted.imageId }
    await ports.store.insert({ ...row, createdAt: ports.clock() })
    return { ...row, diskBytes: wanted.diskBytes }
  })
}

async function setLimit(ports: AllocationsPorts, prepared: PreparedAllocation, limitBytes: number): Promise<void> {
  if (prepared.diskBytes === limitBytes) return
  try {
    await ports.disks.setDiskLimit({ diskId: prepared.placeId, limitBytes })
  } catch (error) {
    await removeAllocation(ports, prepared.placeId)
    throw error
  }
}

/** All rows first, so that the networks are made together. What was made stays, even if another one failed. */
async function makeAllocationsTogether(ports: AllocationsPorts, count: number): Promise<PreparedAllocation[]> {
  const imageId = await ports.images.current()
  const { diskBytes } = defaultSandboxLimits
  const recorded: PreparedAllocation[] = []
  const failures: unknown[] = []
  while (recorded.length < count && failures.length === 0) {
    await record(ports, { imageId, diskBytes }).then(
      (allocation) => recorded.push(allocation),
      (error: unknown) => failures.push(error),
    )
  }
  const made = await Promise.all(
    recorded.map(async (allocation) => {
      const failure = await make(ports, allocation)
      if (failure === undefined) return [allocation]
      failures.push(failure)
      await removeAllocation(ports, allocation.placeId)
      return []
    }),
  )
  if (failures.length > 0)
    ports.logger.warn({ err: failures[0], count: failures.length }, 'allocations could not be prepared')
  return made.flat()
}

/** Returns the first failure after everything has ended, so that nothing is made while it is removed. */
async function make(ports: AllocationsPorts, allocation: PreparedAllocation): Promise<unknown> {
  const { placeId: allocationId, address, imageId, diskBytes } = allocation
  const steps = await Promise.allSettled([
    ports.disks.createDisk({ diskId: allocationId, imageId, limitBytes: diskBytes }),
    ports.attachments.prepare({ placeId: allocationId, address, egress: { kind: 'open' } }),
  ])
  return steps.find((step) => step.status === 'rejected')?.reason
}

/** The row last: what a crash leaves is found by it. */
async function removeAllocation(ports: AllocationsPorts, allocationId: string): Promise<void> {
  ports.attachments.forget(allocationId)
  await ports.network.detach(allocationId)
  await ports.disks.deleteDisk(allocationId)
  await ports.store.remove(allocationId)
}
