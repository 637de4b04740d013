import { makeSingleFlight } from '@threadbox/concurrency'
import type { DiskStore } from '@threadbox/disk-store'
import type { SandboxDriver } from '@threadbox/sandbox-driver'
import type { Logger } from '@threadbox/telemetry'
import type { HostEvents } from '../../machine/events/host-events.ts'
import type { MemoryImagesStore } from '../../machine/state/memory-images.store.ts'

/**
 * The original processes of a paused boot, suspended in RAM. The memory image `imageId` was saved from them, and the
 * boot can also wake from it.
 */
export type FrozenCopy = { sandboxId: string; bootId: string; driverBootId: string; placeId: string; imageId: string }

/**
 * Frozen copies, oldest first. `take` and `evictOldest` find and remove a copy in one step, so a wake and an eviction
 * never work on the same one.
 */
export type FrozenCopies = {
  /** Adds a copy and watches its processes. The sandbox must have no kept copy. */
  keep(copy: FrozenCopy): void
  /** Removes and returns the copy, which then belongs to the caller; undefined if none exists. */
  take(sandboxId: string): Promise<FrozenCopy | undefined>
  has(sandboxId: string): boolean
  count(): number
  /** Stops the processes of a copy that is kept, or that the caller took and no other replaced. The boot stays paused. */
  evict(copy: FrozenCopy): Promise<void>
  /** Evicts the oldest copy; false if none exists. */
  evictOldest(): Promise<boolean>
  /** RAM held by all kept copies. */
  bytes(): Promise<number>
}

export function makeFrozenCopies(ports: {
  driver: SandboxDriver
  disks: DiskStore
  images: MemoryImagesStore
  events: HostEvents
  logger: Logger
  clock: () => number
  /** Called in the step in which the last process of a copy has ended, while its boot stays paused. */
  onGone: (copy: FrozenCopy) => void
  signal: AbortSignal
}): FrozenCopies {
  const { driver, events, logger } = ports
  const kept = new Map<string, { copy: FrozenCopy; watching: AbortController }>()
  const evictions = makeSingleFlight()

  const emitDropped = ({ sandboxId, bootId }: FrozenCopy) =>
    events.emit({ type: 'frozen-dropped', sandboxId, bootId, at: ports.clock() })
  const remove = (sandboxId: string) => {
    const entry = kept.get(sandboxId)
    kept.delete(sandboxId)
    entry?.watching.abort(new Error('the frozen copy is no longer kept'))
    return entry?.copy
  }
  /**
   * If the processes end without being taken or evicted, or can’t be waited for, the boot stays paused: it can wake from
   * its memory image.
   */
  const watch = async (copy: FrozenCopy, signal: AbortSignal) => {
    await driver.waitForEnd(copy.driverBootId, signal).catch(() => undefined)
    if (signal.aborted) return
    kept.delete(copy.sandboxId)
    ports.onGone(copy)
    logger.warn(copy, 'a frozen copy has ended; its sandbox can only wake from the memory image')
    await driver.forget(copy.driverBootId)
    emitDropped(copy)
  }
  const evict = async (copy: FrozenCopy) => {
    remove(copy.sandboxId)
    await evictions.join(copy.sandboxId, () => stopCopy(ports, copy))
    emitDropped(copy)
  }
  return {
    keep: (copy) => {
      const watching = new AbortController()
      kept.set(copy.sandboxId, { copy, watching })
      watch(copy, AbortSignal.any([ports.signal, watching.signal])).catch((error: unknown) =>
        logger.error({ err: error, ...copy }, 'a frozen copy that has ended could not be cleaned up'),
      )
    },
    take: async (sandboxId) => {
      // An eviction in progress ends first: it can still record the disk's generation for the image.
      await evictions.present(sandboxId)
      return remove(sandboxId)
    },
    has: (sandboxId) => kept.has(sandboxId),
    count: () => kept.size,
    evict,
    evictOldest: async () => {
      const oldest = kept.values().next().value
      if (oldest !== undefined) await evict(oldest.copy)
      return oldest !== undefined
    },
    bytes: async () => {
      const held = await Promise.all(
        [...kept.values()].map(async ({ copy }) => {
          const status = await driver.inspect(copy.driverBootId)
          // Suspended processes are running, for the driver.
          return status?.state === 'running' ? (status.memoryBytes ?? 0) : 0
        }),
      )
      return held.reduce((sum, bytes) => sum + bytes, 0)
    },
  }
}

/**
 * Stops the processes of a copy. That frees deleted files that they held open, which changes the disk's generation. The
 * memory image holds those files itself and still fits: if it fit before, the new generation is recorded for it.
 */
async function stopCopy(
  ports: { driver: SandboxDriver; disks: DiskStore; images: MemoryImagesStore; onGone: (copy: FrozenCopy) => void },
  copy: FrozenCopy,
): Promise<void> {
  const { driver, disks, images } = ports
  const { driverBootId, placeId, imageId } = copy
  const image = await images.find(copy.sandboxId)
  const before = await disks.diskGeneration(placeId).catch(() => undefined)
  await driver.stop(driverBootId)
  ports.onGone(copy)
  await driver.forget(driverBootId)
  if (before === undefined || image?.imageId !== imageId || image.diskGeneration !== before) return
  const diskGeneration = await disks.diskGeneration(placeId)
  if (diskGeneration !== before) await images.setDiskGeneration({ imageId, diskGeneration })
}
