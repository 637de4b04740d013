import { randomBytes } from 'node:crypto'
import { access, mkdir, readdir, readlink, rename, rm, symlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { diskNotFound, idInvalid, imageInUse, imageNotFound, limitInvalid, poolFull } from './disk-store.errors.ts'
import type { Disk, DiskStore, Image } from './disk-store.ts'
import { makeKeyedLock } from './keyed-lock.ts'
import { hasRoomForDisk, openReserveBytes, type PoolReserves } from './pool-reserves.models.ts'
import type { Volumes } from './volumes.ts'

/**
 * A disk store over any {@link Volumes}. On disk: `images/<imageId>/root` and `disks/<diskId>/{root,image}`, where
 * `image` is a symbolic link that names the image. A thing is built under a name that begins with a dot and renamed
 * when it is whole; it is renamed back to such a name before it is removed. So a name without a dot is always whole,
 * and {@link DiskStore.prepare} may remove every name with one.
 */
export function makeVolumeDiskStore(options: { volumes: Volumes; reserves: PoolReserves }): DiskStore {
  const { volumes, reserves } = options
  const lock = makeKeyedLock()
  const images = join(volumes.root, 'images')
  const disks = join(volumes.root, 'disks')
  const findDisk = (diskId: string) => readDisk({ disks, diskId: checkId(diskId) })

  return {
    async prepare() {
      await volumes.prepare()
      await mkdir(images, { recursive: true, mode: 0o700 })
      await mkdir(disks, { recursive: true, mode: 0o700 })
      for (const kind of [images, disks]) {
        for (const name of await readdir(kind)) {
          if (name.startsWith('.')) await removeEntry({ volumes, entry: join(kind, name) })
        }
      }
      await volumes.reclaim()
    },
    close: () => volumes.close(),

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

    createDisk: async ({ diskId, imageId, limitBytes }) =>
      lock(`image ${checkId(imageId)}`, () =>
        lock(`disk ${checkId(diskId)}`, async () => {
          const existing = await readDisk({ disks, diskId })
          if (existing !== undefined) return existing
          await refuseWithoutRoom({ volumes, reserves })
          return createDisk({ volumes, images, disks, diskId, imageId, limitBytes: checkLimit(limitBytes) })
        }),
      ),
    async getDisk(diskId) {
      return (await findDisk(diskId)) ?? refuseUnknownDisk(diskId)
    },
    listDisks: () => readDisks(disks),
    async setDiskLimit({ diskId, limitBytes }) {
      const disk = (await findDisk(diskId)) ?? refuseUnknownDisk(diskId)
      await volumes.setLimit({ path: disk.path, limitBytes: checkLimit(limitBytes) })
    },
    async diskUsage(diskId) {
      const disk = (await findDisk(diskId)) ?? refuseUnknownDisk(diskId)
      return volumes.usage(disk.path)
    },
    async syncDisk(diskId) {
      const disk = (await findDisk(diskId)) ?? refuseUnknownDisk(diskId)
      await volumes.sync(disk.path)
    },
    deleteDisk: async (diskId) =>
      lock(`disk ${checkId(diskId)}`, () => hideAndRemove({ volumes, parent: disks, name: diskId })),

    async poolUsage() {
      const space = await volumes.space()
      return {
        totalBytes: space.totalBytes,
        usedBytes: space.totalBytes - space.availableBytes,
        reservedBytes: openReserveBytes({ reserves, imageBytes: space.imageBytes }),
      }
    },
  }
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
  limitBytes: number
}): Promise<Disk> {
  const { volumes, images, disks, diskId, imageId, limitBytes } = options
  const image = toImage(images, imageId)
  if (!(await exists(image.path))) throw imageNotFound({ imageId })
  const hidden = join(disks, hiddenName(diskId))
  await mkdir(hidden, { mode: 0o700 })
  try {
    await symlink(`../../images/${imageId}`, join(hidden, 'image'))
    await volumes.copy({ from: image.path, to: join(hidden, 'root'), limitBytes })
    await rename(hidden, join(disks, diskId))
  } catch (error) {
    await removeEntry({ volumes, entry: hidden })
    throw error
  }
  return { diskId, imageId, path: join(disks, diskId, 'root') }
}

async function refuseWithoutRoom(options: { volumes: Volumes; reserves: PoolReserves }): Promise<void> {
  const space = await options.volumes.space()
  if (hasRoomForDisk({ reserves: options.reserves, space })) return
  const reservedBytes = openReserveBytes({ reserves: options.reserves, imageBytes: space.imageBytes })
  throw poolFull({ availableBytes: space.availableBytes, reservedBytes })
}

async function hideAndRemove(options: { volumes: Volumes; parent: string; name: string }): Promise<void> {
  const { volumes, parent, name } = options
  if (!(await exists(join(parent, name)))) return
  const entry = join(parent, hiddenName(name))
  await rename(join(parent, name), entry)
  await removeEntry({ volumes, entry })
}

/** The volume goes first: a directory without one is an ordinary directory. */
async function removeEntry(options: { volumes: Volumes; entry: string }): Promise<void> {
  const { volumes, entry } = options
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

async function wholeNames(directory: string): Promise<string[]> {
  return (await readdir(directory)).filter((name) => !name.startsWith('.')).sort()
}

function hiddenName(id: string): string {
  return `.${id}~${randomBytes(6).toString('hex')}`
}

function toImage(images: string, imageId: string): Image {
  return { imageId, path: join(images, imageId, 'root') }
}

function checkId(id: string): string {
  if (!/^[a-z0-9][a-z0-9._-]{0,63}$/.test(id)) throw idInvalid({ id })
  return id
}

const smallestLimitBytes = 1024 * 1024

function checkLimit(limitBytes: number): number {
  if (!Number.isSafeInteger(limitBytes) || limitBytes < smallestLimitBytes) throw limitInvalid({ limitBytes })
  return limitBytes
}

function refuseUnknownDisk(diskId: string): never {
  throw diskNotFound({ diskId })
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    (error) => undefinedWhenMissing(error) ?? false,
  )
}

function undefinedWhenMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
