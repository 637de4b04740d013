import { mkdir, readlink, rename, rm, symlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type DueLoop, type KeyedLock, makeKeyedLock } from '@threadbox/concurrency'
import type { Logger } from '@threadbox/telemetry'
import { makeDiskComparison } from './disk-comparison.ts'
import { type DiskSnapshots, makeDiskSnapshots, removeAllSnapshots } from './disk-snapshots.ts'
import { diskNotFound, imageInUse, imageNotFound, limitInvalid, poolFull } from './disk-store.errors.ts'
import type { Disk, DiskContent, DiskStore, Image } from './disk-store.ts'
import { checkId, exists, hiddenName, hiddenNames, hideEntry, undefinedWhenMissing, wholeNames } from './entries.ts'
import { findExtended } from './extended-files.ts'
import { countLines } from './line-counts.ts'
import { type MemoryDirectories, makeMemoryDirectories } from './memory-places.ts'
import { hasRoomForDisk, openReserveBytes, type PoolReserves } from './pool-reserves.logic.ts'
import { makeReserveLoop } from './reserve-loop.ts'
import type { VolumeSpace, Volumes } from './volumes.ts'

/**
 * A disk store over any {@link Volumes}. On disk: `images/<imageId>/root` and `disks/<diskId>/{root,image}`, where
 * `image` is a symbolic link that names the image. A thing is built under a name that begins with a dot and renamed
 * when it is whole; it is renamed back to such a name before it is removed. So a name without a dot is whole (unless its
 * removal was interrupted while the pool was full), and {@link DiskStore.prepare} may remove every name with one. Snapshots are in `disks/<diskId>/snapshots`, saved memory
 * in `memory/<diskId>/<imageId>`.
 */
export function makeVolumeDiskStore(options: { volumes: Volumes; reserves: PoolReserves; logger: Logger }): DiskStore {
  const { volumes, reserves, logger } = options
  const lock = makeKeyedLock()
  const images = join(volumes.root, 'images')
  const disks = join(volumes.root, 'disks')
  const memory = makeMemoryDirectories(volumes)
  const findDisk = async (diskId: string) =>
    (await readDisk({ disks, diskId: checkId(diskId) })) ?? refuseUnknownDisk(diskId)
  /** What is lost is not found, even where its snapshots still are. */
  const getDisk = async (diskId: string) => {
    const disk = await findDisk(diskId)
    return (await exists(disk.path)) ? disk : refuseUnknownDisk(diskId)
  }
  const snapshotsOf = (diskId: string) =>
    makeDiskSnapshots({ volumes, diskId: checkId(diskId), directory: join(disks, diskId), logger })
  const pathOf = async ({ diskId, snapshotId }: DiskContent) => {
    const disk = await getDisk(diskId)
    return snapshotId === undefined ? disk.path : (await snapshotsOf(diskId).find(checkId(snapshotId))).path
  }
  let reserveLoop: DueLoop | undefined
  const space = async () => ({ space: await volumes.space(), memoryBytes: await memory.usedBytes() })

  return {
    async prepare() {
      await volumes.prepare()
      await mkdir(images, { recursive: true, mode: 0o700 })
      await mkdir(disks, { recursive: true, mode: 0o700 })
      for (const kind of [images, disks]) {
        for (const name of await hiddenNames(kind)) await removeEntry({ volumes, entry: join(kind, name) })
      }
      for (const diskId of await wholeNames(disks)) await snapshotsOf(diskId).reclaim()
      await memory.prepare()
      await volumes.reclaim()
      if (reserveLoop !== undefined) return
      reserveLoop = makeReserveLoop({ volumes, reserves, usedMemoryBytes: memory.usedBytes, logger })
      await reserveLoop.pass()
      reserveLoop.start()
    },
    async close() {
      await reserveLoop?.stop()
      reserveLoop = undefined
      await volumes.close()
    },

    importImage: async ({ imageId, build }) =>
      lock(`image ${checkId(imageId)}`, () => importImage({ volumes, images, imageId, build })),
    async listImages() {
      return (await wholeNames(images)).map((imageId) => toImage(images, imageId))
    },
    deleteImage: async (imageId) =>
      lock(`image ${checkId(imageId)}`, async () => {
        const users = (await readDisks(disks)).filter((disk) => disk.imageId === imageId)
        if (users.length > 0) throw imageInUse({ imageId, diskCount: users.length })
        await hideAndRemove({ volumes, parent: images, name: imageId })
      }),

    createDisk: async ({ diskId, imageId, limitBytes, from }) =>
      lock(`image ${checkId(imageId)}`, () =>
        lock(`disk ${checkId(diskId)}`, async () => {
          const existing = await readDisk({ disks, diskId })
          if (existing !== undefined) return await getDisk(diskId)
          await refuseWithoutRoom({ reserves, space, reserveLoop })
          const source = from === undefined ? toImage(images, imageId).path : await pathOf(from)
          return createDisk({ volumes, images, disks, diskId, imageId, source, limitBytes: checkLimit(limitBytes) })
        }),
      ),
    getDisk,
    listDisks: () => readDisks(disks),
    async setDiskLimit({ diskId, limitBytes }) {
      const disk = await getDisk(diskId)
      await volumes.setLimit({ path: disk.path, limitBytes: checkLimit(limitBytes) })
    },
    async diskUsage(diskId) {
      const disk = await getDisk(diskId)
      return volumes.usage(disk.path)
    },
    syncDisk: async (diskId) => volumes.sync((await getDisk(diskId)).path),
    commitDisk: async (diskId) => volumes.commit((await getDisk(diskId)).path),
    deleteDisk: async (diskId) =>
      lock(`snapshots ${checkId(diskId)}`, () =>
        lock(`disk ${diskId}`, async () => {
          await hideAndRemove({ volumes, parent: disks, name: diskId })
          // A removal in the background ends first.
          await lock(`memory ${diskId}`, () => memory.removeAllOf(diskId))
        }),
      ),

    ...snapshotMethods({ volumes, images, lock, findDisk, getDisk, snapshotsOf, logger }),
    ...memoryMethods({ memory, lock }),

    async poolUsage() {
      const { space: found, memoryBytes } = await space()
      return {
        totalBytes: found.totalBytes,
        usedBytes: found.totalBytes - found.availableBytes,
        reservedBytes: openReserveBytes({ reserves, imageBytes: found.imageBytes, memoryBytes }),
        memoryBytes,
        ...partsOf(found),
      }
    },
  }
}

function partsOf({ imageBytes, disksBytes, tableBytes }: VolumeSpace) {
  return { imageBytes, disksBytes, tableBytes }
}

type Lock = KeyedLock

function snapshotMethods(parts: {
  volumes: Volumes
  images: string
  lock: Lock
  findDisk: (diskId: string) => Promise<Disk>
  getDisk: (diskId: string) => Promise<Disk>
  snapshotsOf: (diskId: string) => DiskSnapshots
  logger: Logger
}) {
  const { volumes, images, lock, findDisk, getDisk, snapshotsOf, logger } = parts
  const frozenPath = async ({ diskId, imageId }: Disk, snapshotId: string | null) => {
    if (snapshotId !== null) return (await snapshotsOf(diskId).find(checkId(snapshotId))).path
    const image = toImage(images, imageId)
    if (!(await exists(image.path))) throw imageNotFound({ imageId })
    return image.path
  }
  return {
    async diskGeneration(diskId: string) {
      const disk = await getDisk(diskId)
      await volumes.sync(disk.path)
      return await volumes.generation(disk.path)
    },
    snapshotDisk: async ({ diskId, snapshotId, of }: Parameters<DiskStore['snapshotDisk']>[0]) =>
      lock(`disk ${checkId(diskId)}`, async () => {
        await getDisk(diskId)
        return await snapshotsOf(diskId).make(checkId(snapshotId), of === undefined ? undefined : checkId(of))
      }),
    async mayDifferFromSnapshot({ diskId, snapshotId }: { diskId: string; snapshotId: string }) {
      const disk = await getDisk(diskId)
      const snapshot = await snapshotsOf(diskId).find(checkId(snapshotId))
      await volumes.sync(disk.path)
      return await volumes.mayHaveChangedSince({ path: disk.path, since: snapshot.path })
    },
    async writtenBytes({ diskId, snapshotId, since }: Parameters<DiskStore['writtenBytes']>[0]) {
      const disk = await findDisk(diskId)
      const snapshots = snapshotsOf(diskId)
      const { path } = await snapshots.find(checkId(snapshotId))
      const earlier = since === undefined ? toImage(images, disk.imageId) : await snapshots.find(checkId(since))
      return await volumes.writtenBytes({ path, since: earlier.path })
    },
    async listSnapshots(diskId: string) {
      await findDisk(diskId)
      return await snapshotsOf(diskId).list()
    },
    deleteSnapshot: async ({ diskId, snapshotId }: { diskId: string; snapshotId: string }) =>
      lock(`snapshots ${checkId(diskId)}`, async () => {
        const remove = await lock(`disk ${diskId}`, () => snapshotsOf(diskId).hide(checkId(snapshotId)))
        // Waits for the pool, and a sandbox may stand still for the next snapshot.
        await remove()
      }),
    restoreSnapshot: async ({ diskId, snapshotId }: Parameters<DiskStore['restoreSnapshot']>[0]) =>
      lock(`snapshots ${checkId(diskId)}`, () =>
        lock(`disk ${diskId}`, async () => {
          await snapshotsOf(diskId).restore(await frozenPath(await findDisk(diskId), snapshotId))
          return await findDisk(diskId)
        }),
      ),
    ...makeDiskComparison({ volumes, lock, getDisk, frozenPath, snapshotsOf, logger }),
    async countChangedLines({ diskId, snapshotId, of, names }: Parameters<DiskStore['countChangedLines']>[0]) {
      const disk = await getDisk(diskId)
      const after = of === undefined ? disk.path : await frozenPath(disk, of)
      return await countLines({ before: await frozenPath(disk, snapshotId), after, names })
    },
    async findExtendedFiles({ diskId, snapshotId, names }: Parameters<DiskStore['findExtendedFiles']>[0]) {
      const disk = await getDisk(diskId)
      return await findExtended({ before: await frozenPath(disk, snapshotId), after: disk.path, names })
    },
  } satisfies Partial<DiskStore>
}

function memoryMethods({ memory, lock }: { memory: MemoryDirectories; lock: Lock }) {
  const checkPlace = (place: { diskId: string; imageId: string }) => ({
    diskId: checkId(place.diskId),
    imageId: checkId(place.imageId),
  })
  return {
    makeMemoryPlace: async (place: { diskId: string; imageId: string }) =>
      lock(`memory ${place.diskId}`, () => memory.make(checkPlace(place))),
    syncMemoryPlace: async (place: { diskId: string; imageId: string }) => memory.sync(checkPlace(place)),
    listMemoryPlaces: () => memory.list(),
    deleteMemoryPlace: async (place: { diskId: string; imageId: string }) =>
      lock(`memory ${place.diskId}`, () => memory.remove(checkPlace(place))),
  } satisfies Partial<DiskStore>
}

async function importImage(options: {
  volumes: Volumes
  images: string
  imageId: string
  build: (path: string) => Promise<void>
}): Promise<Image> {
  const { volumes, images, imageId, build } = options
  const image = toImage(images, imageId)
  if (await exists(image.path)) return image
  const hidden = join(images, hiddenName(imageId))
  const root = join(hidden, 'root')
  await mkdir(hidden, { mode: 0o700 })
  try {
    await volumes.createEmpty(root)
    await build(root)
    await volumes.freeze(root)
    await rename(hidden, join(images, imageId))
  } catch (error) {
    await removeEntry({ volumes, entry: hidden })
    throw error
  }
  await volumes.sync(image.path)
  return image
}

async function createDisk(options: {
  volumes: Volumes
  images: string
  disks: string
  diskId: string
  imageId: string
  /** What it begins with: the image, or something that was made from it. */
  source: string
  limitBytes: number
}): Promise<Disk> {
  const { volumes, images, disks, diskId, imageId, source, limitBytes } = options
  const image = toImage(images, imageId)
  if (!(await exists(image.path))) throw imageNotFound({ imageId })
  const hidden = join(disks, hiddenName(diskId))
  await mkdir(hidden, { mode: 0o700 })
  try {
    await symlink(`../../images/${imageId}`, join(hidden, 'image'))
    await volumes.copy({ from: source, to: join(hidden, 'root'), limitBytes })
    await rename(hidden, join(disks, diskId))
  } catch (error) {
    await removeEntry({ volumes, entry: hidden })
    throw error
  }
  return { diskId, imageId, path: join(disks, diskId, 'root') }
}

async function refuseWithoutRoom(options: {
  reserves: PoolReserves
  space: () => Promise<{ space: VolumeSpace; memoryBytes: number }>
  reserveLoop: DueLoop | undefined
}): Promise<void> {
  const { reserves, reserveLoop } = options
  if (hasRoomForDisk({ reserves, ...(await options.space()) })) return
  // The limit of all disks can be from before something was deleted.
  await reserveLoop?.pass()
  const { space, memoryBytes } = await options.space()
  if (hasRoomForDisk({ reserves, space, memoryBytes })) return
  const { availableBytes, disksRoomBytes, imageBytes } = space
  const openBytes = openReserveBytes({ reserves, imageBytes, memoryBytes })
  throw poolFull({ availableBytes, reservedBytes: Math.max(openBytes, availableBytes - disksRoomBytes) })
}

async function hideAndRemove(options: { volumes: Volumes; parent: string; name: string }): Promise<void> {
  const { volumes, parent, name } = options
  if (!(await exists(join(parent, name)))) return
  await removeEntry({ volumes, entry: await hideEntry(join(parent, name)) })
}

/** The volumes go first: a directory without one is an ordinary directory. */
async function removeEntry(options: { volumes: Volumes; entry: string }): Promise<void> {
  const { volumes, entry } = options
  await removeAllSnapshots({ volumes, directory: entry })
  await volumes.remove(join(entry, 'root'))
  await rm(entry, { recursive: true, force: true })
}

async function readDisk(options: { disks: string; diskId: string }): Promise<Disk | undefined> {
  const directory = join(options.disks, options.diskId)
  const target = await readlink(join(directory, 'image')).catch(undefinedWhenMissing)
  if (target === undefined) return undefined
  return { diskId: options.diskId, imageId: basename(target), path: join(directory, 'root') }
}

async function readDisks(disks: string): Promise<Disk[]> {
  const found = await Promise.all((await wholeNames(disks)).map((diskId) => readDisk({ disks, diskId })))
  return found.filter((disk) => disk !== undefined)
}

function toImage(images: string, imageId: string): Image {
  return { imageId, path: join(images, imageId, 'root') }
}

const smallestLimitBytes = 1024 * 1024

function checkLimit(limitBytes: number): number {
  if (!Number.isSafeInteger(limitBytes) || limitBytes < smallestLimitBytes) throw limitInvalid({ limitBytes })
  return limitBytes
}

function refuseUnknownDisk(diskId: string): never {
  throw diskNotFound({ diskId })
}
