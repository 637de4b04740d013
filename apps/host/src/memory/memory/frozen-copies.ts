import { makeSingleFlight } from '@threadbox/concurrency'
import type { DiskStore } from '@threadbox/disk-store'
import type { SandboxDriver } from '@threadbox/sandbox-driver'
import type { Logger } from '@threadbox/telemetry'
import type { HostEvents } from '../../machine/events/host-events.ts'
import type { MemoryImagesStore } from '../../machine/state/memory-images.store.ts'

/** The processes of a paused boot, kept in RAM with their clock stopped. Its image holds the same. */
export type FrozenCopy = { sandboxId: string; bootId: string; driverBootId: string; placeId: string; imageId: string }

/**
 * Frozen copies, oldest first. A copy belongs to the caller that takes it, and can be taken once: a wake and an
 * eviction never work on the same one.
 */
export type FrozenCopies = {
  keep(copy: FrozenCopy): void
  /** Returns the copy, which then belongs to the caller; undefined if none exists. */
  take(sandboxId: string): Promise<FrozenCopy | undefined>
  has(sandboxId: string): boolean
  count(): number
  /** Frees the memory of a copy. The boot stays paused, because it has its image. */
  evict(copy: FrozenCopy): Promise<void>
  /** Evicts the oldest copy; false if none exists. */
  evictOldest(): Promise<boolean>
  /** RAM held by all copies. */
  bytes(): Promise<number>
}

export function makeFrozenCopies(ports: {
  driver: SandboxDriver
  disks: DiskStore
  images: MemoryImagesStore
  events: HostEvents
  logger: Logger
  clock: () => number
  signal: AbortSignal
}): FrozenCopies {
  const { driver, events, logger } = ports
  const kept = new Map<string, { copy: FrozenCopy; release: AbortController }>()
  const evictions = makeSingleFlight()

  const tell = ({ sandboxId, bootId }: FrozenCopy) =>
    events.emit({ type: 'frozen-dropped', sandboxId, bootId, at: ports.clock() })
  const remove = (sandboxId: string) => {
    const entry = kept.get(sandboxId)
    kept.delete(sandboxId)
    entry?.release.abort(new Error('the frozen copy was taken'))
    return entry?.copy
  }
  /** The end of a copy for another reason is not the end of its boot. */
  const watch = async (copy: FrozenCopy, signal: AbortSignal) => {
    await driver.waitForEnd(copy.driverBootId, signal).catch(() => undefined)
    if (signal.aborted) return
    kept.delete(copy.sandboxId)
    logger.warn(copy, 'a frozen copy has ended; its image is still there')
    await driver.forget(copy.driverBootId)
    tell(copy)
  }
  const evict = async (copy: FrozenCopy) => {
    remove(copy.sandboxId)
    await evictions.join(copy.sandboxId, () => stopCopy(ports, copy))
    tell(copy)
  }
  return {
    keep: (copy) => {
      const release = new AbortController()
      kept.set(copy.sandboxId, { copy, release })
      watch(copy, AbortSignal.any([ports.signal, release.signal])).catch((error: unknown) =>
        logger.error({ err: error, ...copy }, 'what is left of a frozen copy cannot be removed'),
      )
    },
    take: async (sandboxId) => {
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
          return status?.state === 'running' ? (status.memoryBytes ?? 0) : 0
        }),
      )
      return held.reduce((sum, bytes) => sum + bytes, 0)
    },
  }
}

/**
 * The end of a copy frees deleted files that it held open. That changes the disk's generation, but nothing that the
 * memory knows of: the image holds those files itself.
 */
async function stopCopy(
  ports: { driver: SandboxDriver; disks: DiskStore; images: MemoryImagesStore },
  copy: FrozenCopy,
): Promise<void> {
  const { driver, disks, images } = ports
  const { driverBootId, placeId, imageId } = copy
  const image = await images.find(copy.sandboxId)
  const before = await disks.diskGeneration(placeId).catch(() => undefined)
  await driver.stop(driverBootId)
  await driver.forget(driverBootId)
  if (before === undefined || image?.imageId !== imageId || image.diskGeneration !== before) return
  const diskGeneration = await disks.diskGeneration(placeId)
  if (diskGeneration !== before) await images.setDiskGeneration({ imageId, diskGeneration })
}
