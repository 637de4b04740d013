import { execFile } from 'node:child_process'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { makeBtrfsDiskStore } from '@threadbox/disk-store'
import { makeLogger } from '@threadbox/telemetry'
import { removeBareContainers } from './bare-containers.ts'
import { changeFileSystemId } from './file-system-id.ts'
import { claim } from './process-claim.ts'
import { isPresent, testVolume } from './test-machine.ts'

const run = promisify(execFile)

/**
 * A pool of disks that outlives the tests, because unpacking the base image takes most of a minute. One test at a time
 * has it; what an earlier one left in it is removed before it is claimed.
 */
export type DiskSlot = {
  directory: string
  environment: Record<string, string>
  /** Records for later runs which base image and template the pool has. */
  noteContents(contents: SlotContents): Promise<void>
  release(): Promise<void>
}

const GiB = 1024 * 1024 * 1024
/** Space for the base image twice (1.7 GiB each; one is replaced by the next) and some full disks. */
const poolBytes = 8 * GiB
const reserves = { imageBytes: 4 * GiB, memoryImageBytes: GiB / 2 }
/** The name under which the host daemon keeps boot templates; it is the same for every test. */
export const templatesPlace = 'templates'
/** More in parallel would only wait for each other’s processor. */
export const slotCount = 5

export async function claimDiskSlot(): Promise<DiskSlot> {
  for (let attempt = 0; ; attempt++) {
    const slot = slotDirectory(attempt % slotCount)
    await mkdir(slot, { recursive: true, mode: 0o700 })
    if (!(await claim(path.join(slot, claimFile)))) {
      if (attempt % slotCount === slotCount - 1) await delay(500)
      continue
    }
    const directory = path.join(slot, 'disks')
    const emptied = path.join(slot, emptiedFile)
    // A killed test has not emptied it.
    const isEmpty = await rm(emptied).then(
      () => true,
      () => false,
    )
    if (!isEmpty) await emptyPool(directory)
    return {
      directory,
      environment: {
        THREADBOX_DISK_DIRECTORY: directory,
        THREADBOX_POOL_SIZE: String(poolBytes),
        THREADBOX_KEEP_FREE_BYTES: String(GiB),
        THREADBOX_IMAGE_RESERVE_BYTES: String(reserves.imageBytes),
        THREADBOX_MEMORY_IMAGE_RESERVE_BYTES: String(reserves.memoryImageBytes),
      },
      noteContents: (contents) => writeFile(path.join(slot, contentsFile), JSON.stringify(contents)),
      release: async () => {
        await emptyPool(directory)
        await writeFile(emptied, '')
        await rm(path.join(slot, claimFile), { force: true })
      },
    }
  }
}

/** The contents of a pool that take long to create. */
export type SlotContents = {
  imageArchive: string
  /** What the boot template was made with: the guest and gVisor. */
  guestDirectory: string
  runscPath: string
}

const contentsFile = 'contents'
const claimFile = 'claim'
/** Exists while nothing is left of the latest test. */
const emptiedFile = 'emptied'
/** As packages/disk-store names it. */
const poolFile = 'pool.img'

/** Whether each slot was filled with these contents. */
export async function allSlotsHave(contents: SlotContents): Promise<boolean> {
  return (await slotsWith(contents)).length === slotCount
}

export async function isAnySlotFilled(contents: SlotContents): Promise<boolean> {
  return (await slotsWith(contents)).length > 0
}

async function slotsWith(contents: SlotContents): Promise<number[]> {
  const noted = Array.from({ length: slotCount }, (_, index) =>
    readFile(path.join(slotDirectory(index), contentsFile), 'utf8').catch(() => ''),
  )
  return (await Promise.all(noted)).flatMap((text, index) => (text === JSON.stringify(contents) ? [index] : []))
}

/**
 * Copies the pool of a slot with these contents to the slots without them: unpacking the base image takes most of a
 * minute of both processors, a copy some seconds. Returns false if the pools are not files.
 */
export async function copyFilledSlot(contents: SlotContents): Promise<boolean> {
  const filled = await slotsWith(contents)
  const [source = 0] = filled
  const file = path.join(slotDirectory(source), 'disks', poolFile)
  const missing = Array.from({ length: slotCount }, (_, index) => index).filter((index) => !filled.includes(index))
  if (!(await isPresent(file))) return false
  const release = await awaitSlot(source)
  try {
    for (const target of missing) await copyPool({ file, target, contents })
  } finally {
    await release()
  }
  return true
}

async function copyPool(options: { file: string; target: number; contents: SlotContents }): Promise<void> {
  const { file, target, contents } = options
  const directory = path.join(slotDirectory(target), 'disks')
  const release = await awaitSlot(target)
  try {
    const copy = path.join(directory, `${poolFile}.unfinished`)
    await mkdir(directory, { recursive: true, mode: 0o700 })
    await rm(path.join(slotDirectory(target), contentsFile), { force: true })
    for (const old of [copy, path.join(directory, poolFile)]) await rm(old, { force: true })
    // Fully allocated, as the product requires, and then only what was written is copied.
    await run('fallocate', ['--length', String(poolBytes), copy])
    await run('dd', [`if=${file}`, `of=${copy}`, 'bs=256K', 'conv=sparse,notrunc'])
    await changeFileSystemId(copy)
    await rename(copy, path.join(directory, poolFile))
    await writeFile(path.join(slotDirectory(target), emptiedFile), '')
    await writeFile(path.join(slotDirectory(target), contentsFile), JSON.stringify(contents))
  } finally {
    await release()
  }
}

/** Claims a slot whose pool is not mounted. Returns its release. */
async function awaitSlot(index: number): Promise<() => Promise<void>> {
  const slot = slotDirectory(index)
  await mkdir(slot, { recursive: true, mode: 0o700 })
  while (!(await claim(path.join(slot, claimFile)))) await delay(500)
  const directory = path.join(slot, 'disks')
  // A killed test has left it mounted.
  const isMounted =
    (await isPresent(path.join(directory, poolFile))) && !(await isPresent(path.join(slot, emptiedFile)))
  if (isMounted) await emptyPool(directory)
  return () => rm(path.join(slot, claimFile), { force: true })
}

function slotDirectory(index: number): string {
  return path.join(testVolume, 'slots', String(index))
}

async function emptyPool(directory: string): Promise<void> {
  const disks = await makeBtrfsDiskStore({
    installation: 'tslots',
    directory,
    poolSizeBytes: poolBytes,
    keepFreeBytes: GiB,
    reserves,
    logger: makeLogger({ process: 'testkit', level: 'silent' }),
  })
  await disks.prepare()
  await removeBareContainers(path.join(directory, 'pool'))
  for (const { diskId } of await disks.listDisks()) await disks.deleteDisk(diskId)
  for (const place of await disks.listMemoryPlaces()) {
    if (place.diskId !== templatesPlace) await disks.deleteMemoryPlace(place)
  }
  // A program that waits until a deleted disk is freed outlives the daemon that started it by some seconds.
  for (let attempt = 0; ; attempt++) {
    try {
      return await disks.close()
    } catch (error) {
      if (attempt === 100) throw error
      await delay(100)
    }
  }
}
