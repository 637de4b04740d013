import { mkdir, readdir, rm, rmdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { MemoryImageDirectory } from './disk-store.ts'
import { exists, hiddenNames, hideEntry, wholeNames } from './entries.ts'
import type { Volumes } from './volumes.ts'

/** Directories for saved memory: `memory/<diskId>/<imageId>` in the pool, outside of the disks. */
export type MemoryDirectories = {
  prepare(): Promise<void>
  make(place: { diskId: string; imageId: string }): Promise<MemoryImageDirectory>
  sync(place: { diskId: string; imageId: string }): Promise<void>
  list(): Promise<MemoryImageDirectory[]>
  remove(place: { diskId: string; imageId: string }): Promise<void>
  removeAllOf(diskId: string): Promise<void>
  usedBytes(): Promise<number>
}

export function makeMemoryDirectories(volumes: Volumes): MemoryDirectories {
  const memory = join(volumes.root, 'memory')
  const toPlace = ({ diskId, imageId }: { diskId: string; imageId: string }) => ({
    diskId,
    imageId,
    path: join(memory, diskId, imageId),
  })
  const list = async () => {
    const found = await Promise.all(
      (await wholeNames(memory)).map(async (diskId) =>
        (await wholeNames(join(memory, diskId))).map((imageId) => toPlace({ diskId, imageId })),
      ),
    )
    return found.flat()
  }
  const remove = async ({ diskId, imageId }: { diskId: string; imageId: string }) => {
    const { path } = toPlace({ diskId, imageId })
    if (!(await exists(path))) return
    await rm(await hideEntry(path), { recursive: true, force: true })
    await removeIfEmpty(join(memory, diskId))
  }
  return {
    prepare: async () => {
      await volumes.makeMemoryDirectory(memory)
      for (const diskId of await wholeNames(memory)) {
        const directory = join(memory, diskId)
        for (const name of await hiddenNames(directory)) await rm(join(directory, name), { recursive: true })
        await removeIfEmpty(directory)
      }
    },
    make: async (wanted) => {
      const place = toPlace(wanted)
      await mkdir(place.path, { recursive: true, mode: 0o700 })
      return place
    },
    sync: (place) => volumes.sync(toPlace(place).path),
    list,
    remove,
    removeAllOf: async (diskId) => {
      await rm(join(memory, diskId), { recursive: true, force: true })
    },
    usedBytes: async () => {
      const sizes = await Promise.all((await list()).map(({ path }) => bytesBelow(path)))
      return sizes.reduce((sum, size) => sum + size, 0)
    },
  }
}

/** Files that are removed during the count count as 0. */
async function bytesBelow(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true }).catch(() => [])
  const sizes = await Promise.all(
    entries.map((name) =>
      stat(join(directory, name)).then(
        (found) => found.blocks * 512,
        () => 0,
      ),
    ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

async function removeIfEmpty(directory: string): Promise<void> {
  await rmdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'ENOENT') throw error
  })
}
