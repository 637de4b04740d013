import path from 'node:path'
import type { DiskContent, DiskStore } from '@threadbox/disk-store'
import type { Logger } from '@threadbox/telemetry'
import type { StoredBoot } from '../../machine/state/boots.store.ts'
import type { MemoryImagesStore } from '../../machine/state/memory-images.store.ts'
import type { PausePointsStore } from '../../machine/state/pause-points.store.ts'
import type { StoredSandbox } from '../../machine/state/sandboxes.store.ts'
import { savingDriver } from '../../memory/memory/memory-steps.ts'
import { imageName, refuseWithoutSpace } from '../../memory/memory/pause.ts'
import { isBootAsleep } from '../../memory/memory/paused-boots.ts'
import type { SavedMemory, SavedMemoryPorts } from '../../memory/memory/saved-memory.ts'
import type { Stopwatch } from '../../memory/memory/stopwatch.ts'
import type { SnapshotMemories } from '../../memory/snapshots/snapshot-memories.ts'

export type ForkPorts = SavedMemoryPorts & {
  disks: DiskStore
  images: Pick<MemoryImagesStore, 'find'>
  pausePoints: Pick<PausePointsStore, 'find'>
  memories: Pick<SnapshotMemories, 'find'>
  logger: Logger
}

/** What a fork begins with. `memory` fits exactly the content of its disk. */
export type ForkContent = {
  memory: SavedMemory | undefined
  problem: string
  stallMs: number
  /** The memory was saved for this fork, which uses it once. */
  ownImageId?: string
}

type ForkContentOrder = {
  source: StoredSandbox
  boot: StoredBoot | undefined
  fork: StoredSandbox
  snapshotId: string | undefined
  watch: Stopwatch
}

/** Makes the disk of a fork, and saves or finds the memory that fits it. The source keeps running. */
export async function copyContent(ports: ForkPorts, wanted: ForkContentOrder): Promise<ForkContent> {
  const { source, boot, snapshotId } = wanted
  if (snapshotId !== undefined || boot === undefined) {
    await copyDisk(ports, { ...wanted, from: { diskId: source.placeId, snapshotId } })
    const memory = snapshotId === undefined ? undefined : await ports.memories.find(source, snapshotId)
    return { memory, problem: '', stallMs: 0 }
  }
  return isBootAsleep(boot)
    ? await copyPaused(ports, { ...wanted, boot })
    : await copyRunning(ports, { ...wanted, boot })
}

/** The memory image of a pause fits the disk at the pause, of which a snapshot exists; neither is changed. */
async function copyPaused(ports: ForkPorts, wanted: ForkContentOrder & { boot: StoredBoot }): Promise<ForkContent> {
  const { source, boot } = wanted
  const { sandboxId, placeId } = source
  const image = await ports.images.find(sandboxId)
  const point = await ports.pausePoints.find(sandboxId)
  await copyDisk(ports, { ...wanted, from: { diskId: placeId, snapshotId: point?.snapshotId } })
  // One from another pause, or from none, does not fit the disk's content.
  if (image?.phase !== 'ready' || point?.snapshotId !== image.imageId) {
    return { memory: undefined, problem: 'The memory of the paused sandbox cannot be used.', stallMs: 0 }
  }
  const place = await ports.disks.makeMemoryPlace({ diskId: placeId, imageId: image.imageId })
  const directory = path.join(place.path, imageName)
  const { guestDirectory, accessToken } = boot
  return { memory: { directory, bytes: image.bytes, guestDirectory, accessToken }, problem: '', stallMs: 0 }
}

/**
 * Memory and disk of the same moment. The link stays up: what arrives while the sandbox is frozen reaches the source
 * when it continues. The fork has another address, so its copies of connections end.
 */
async function copyRunning(ports: ForkPorts, wanted: ForkContentOrder & { boot: StoredBoot }): Promise<ForkContent> {
  const { source, boot, fork, watch } = wanted
  const { driverBootId, guestDirectory, accessToken } = boot
  const driver = await savingDriver(ports)
  await refuseWithoutSpace(ports, { driver, driverBootId })
  const imageId = ports.launch.randomBytes(10).toString('hex')
  const place = await ports.disks.makeMemoryPlace({ diskId: fork.placeId, imageId })
  const directory = path.join(place.path, imageName)
  // What is written now need not be written while the sandbox is frozen.
  await watch.time('syncMs', ports.disks.syncDisk(source.placeId))
  const frozenAt = performance.now()
  try {
    await watch.time('freezeMs', driver.freeze(driverBootId))
    const { bytes } = await watch.time('saveMs', driver.saveMemory({ bootId: driverBootId, directory }))
    // After saving memory, during which the sandbox's kernel writes what it still held to the disk.
    await watch.time('diskMs', copyDisk(ports, { ...wanted, from: { diskId: source.placeId } }))
    const memory = { directory, bytes, guestDirectory, accessToken }
    return { memory, problem: '', stallMs: performance.now() - frozenAt, ownImageId: imageId }
  } finally {
    await watch.time('thawMs', driver.thaw(driverBootId))
  }
}

async function copyDisk(
  { disks }: ForkPorts,
  { source, fork, from }: Pick<ForkContentOrder, 'source' | 'fork'> & { from: DiskContent },
): Promise<void> {
  const limitBytes = fork.limits.diskBytes
  await disks.createDisk({ diskId: fork.placeId, imageId: source.imageId, limitBytes, from })
}
