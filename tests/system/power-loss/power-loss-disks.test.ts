import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { type DiskStore, makeBtrfsDiskStore } from '@threadbox/disk-store'
import { makeLogger } from '@threadbox/telemetry'
import { makeOwnedDirectory } from '@threadbox/testkit'
import { repeats } from '@threadbox/testkit/repeats'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type CrashDisk,
  makeCrashDisk,
  makeCrashImages,
  makeImageSpace,
  mountCrashed,
  readPast,
  unmount,
} from './crash-disk.ts'

/**
 * Disks of sandboxes on a pool file on ext4 on a disk that forgets what was not flushed. Power is cut at many points of
 * one busy minute; each time a new store opens what is left, and everything that had been acknowledged must exist.
 */
const run = promisify(execFile)
const MiB = 1024 * 1024
const cuts = repeats({ what: 'power cuts under disks that are written to', byDefault: 12, full: 50 })
const seed = 20_261_122

type Acknowledged = { at: number; diskId: string } & (
  | { kind: 'file'; name: string; content: string }
  | { kind: 'deleted' }
)

let directory: string
let disk: CrashDisk
const acknowledged: Acknowledged[] = []
let unsynced: { at: number; name: string }[] = []

beforeAll(async () => {
  directory = await makeOwnedDirectory()
  // Also after a failure: a disk that stays holds the output of the tests open, and the run would not end.
  await using cleanup = new AsyncDisposableStack()
  disk = await makeCrashDisk({ directory, sizeBytes: 1280 * MiB })
  cleanup.defer(() => disk.close())
  await run('mkfs.ext4', ['-q', disk.device])
  const data = path.join(directory, 'data')
  await mkdir(data)
  await run('mount', [disk.device, data])
  cleanup.defer(() => unmount(data))
  const store = await openStore(data)
  cleanup.defer(() => store.close())
  await store.prepare()
  await store.importImage({ imageId: 'image', build: (root) => writeFile(path.join(root, 'base'), 'base') })
  const works = await Promise.allSettled([0, 1, 2].map((worker) => work(store, worker)))
  for (const result of works) if (result.status === 'rejected') throw result.reason
  unsynced = await writeWithoutSync(store)
})

afterAll(async () => {
  await rm(directory, { recursive: true, force: true })
})

test(`A1: after a power cut at any of ${cuts} points every disk opens, and no synced file is lost`, async () => {
  await using space = await makeImageSpace({ directory, sizeBytes: 8 * 1024 * MiB })
  const past = await readPast(disk)
  const images = makeCrashImages({ disk, past, directory: space.directory, random: randomOf(seed) })
  const positions = choosePositions(past.at(-1)?.end ?? 0)
  let lostWrites = 0
  let lostUnsynced = 0
  for (const position of positions) {
    const image = path.join(space.directory, 'crash')
    const left = await images.at(position, image)
    lostWrites += left.lostWrites
    await using mounted = await mountCrashed({ image, mountPoint: path.join(directory, 'again') })
    const store = await openStore(mounted.directory)
    await store.prepare()
    try {
      await expectAcknowledged(store, position)
      lostUnsynced += await countLost(store, position)
    } finally {
      await store.close()
    }
  }
  // Otherwise the cuts would not have lost anything.
  expect(lostWrites).toBeGreaterThan(0)
  expect(lostUnsynced).toBeGreaterThan(0)
})

/** Evenly from the first acknowledgment to the end, and one where much is written and not yet synced; rising. */
function choosePositions(end: number): number[] {
  const first = acknowledged[0]?.at ?? 0
  const evenly = Array.from({ length: cuts - 1 }, (_, cut) => Math.floor(first + ((end - first) * cut) / (cuts - 2)))
  return [...evenly, unsynced.at(-1)?.at ?? end].toSorted((left, right) => left - right)
}

/** Creates disks, writes and syncs files, deletes some: what a few busy sandboxes do. */
async function work(store: DiskStore, worker: number): Promise<void> {
  for (let round = 0; round < 6; round++) {
    const diskId = `disk-${worker}-${round}`
    const { path: root } = await store.createDisk({ diskId, imageId: 'image', limitBytes: 64 * MiB })
    for (let file = 0; file < 6; file++) {
      const content = randomBytes(30_000 * (file + 1)).toString('base64')
      const name = `file-${file}`
      await writeFile(path.join(root, name), content)
      // A sync of the whole disk, or of one file as a program inside does it.
      if (file % 2 === 0) await store.syncDisk(diskId)
      else await syncFile(path.join(root, name))
      acknowledged.push({ at: await disk.position(), diskId, kind: 'file', name, content })
    }
    if (round % 3 !== 2) continue
    await store.deleteDisk(diskId)
    acknowledged.push({ at: await disk.position(), diskId, kind: 'deleted' })
  }
}

async function writeWithoutSync(store: DiskStore): Promise<typeof unsynced> {
  const { path: root } = await store.createDisk({ diskId: 'careless', imageId: 'image', limitBytes: 64 * MiB })
  await store.syncDisk('careless')
  const written: typeof unsynced = []
  for (let file = 0; file < 10; file++) {
    await writeFile(path.join(root, `file-${file}`), randomBytes(100_000))
    written.push({ at: await disk.position(), name: `file-${file}` })
  }
  return written
}

async function expectAcknowledged(store: DiskStore, position: number): Promise<void> {
  const known = acknowledged.filter((one) => one.at <= position)
  const deleted = new Set(known.filter((one) => one.kind === 'deleted').map((one) => one.diskId))
  // A deletion in progress can have been finished.
  const deletedLater = new Set(acknowledged.filter((one) => one.kind === 'deleted').map((one) => one.diskId))
  const present = new Set((await store.listDisks()).map((one) => one.diskId))
  expect([...present].filter((diskId) => deleted.has(diskId))).toEqual([])
  for (const one of known) {
    if (one.kind === 'deleted' || deleted.has(one.diskId)) continue
    if (!present.has(one.diskId) && deletedLater.has(one.diskId)) continue
    const { path: root } = await store.getDisk(one.diskId)
    const content = await readFile(path.join(root, one.name), 'utf8')
    expect(content === one.content, `${one.diskId}/${one.name}`).toBe(true)
    expect(await readFile(path.join(root, 'base'), 'utf8')).toBe('base')
  }
}

async function countLost(store: DiskStore, position: number): Promise<number> {
  const written = unsynced.filter((one) => one.at <= position)
  if (written.length === 0) return 0
  const { path: root } = await store.getDisk('careless')
  const sizes = await Promise.all(
    written.map(async ({ name }) => (await readFile(path.join(root, name)).catch(() => Buffer.alloc(0))).length),
  )
  return sizes.filter((size) => size !== 100_000).length
}

async function syncFile(file: string): Promise<void> {
  await using handle = await open(file, 'r')
  await handle.sync()
}

function openStore(data: string): Promise<DiskStore> {
  return makeBtrfsDiskStore({
    installation: 'tpower',
    directory: path.join(data, 'disks'),
    poolSizeBytes: 1024 * MiB,
    keepFreeBytes: 0,
    reserves: { imageBytes: 0, memoryImageBytes: 0 },
    logger: makeLogger({ process: 'test', level: 'silent' }),
  })
}

/** Numerical Recipes’ linear congruential generator: the same cuts lose the same writes in every run. */
function randomOf(start: number): () => number {
  let state = start
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}
