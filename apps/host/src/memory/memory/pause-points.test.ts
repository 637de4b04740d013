import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type DiskChanges, type DiskStore, tooManyFiles } from '@threadbox/disk-store'
import { makeDirectoryVolumes, makeVolumeDiskStore, roomySpace } from '@threadbox/disk-store/testing'
import { defaultSandboxLimits } from '@threadbox/domain'
import { makeLogger } from '@threadbox/telemetry'
import { expect, onTestFinished, test } from 'vitest'
import { makePausePointsStore, type PausePointsStore } from '../../machine/state/pause-points.store.ts'
import { makeSandboxesStore, type StoredSandbox } from '../../machine/state/sandboxes.store.ts'
import { openStateDatabase } from '../../machine/state/state-database.ts'
import { makePausePoints } from './pause-points.ts'

const sandboxOf = (sandboxId: string) => ({ sandboxId, placeId: sandboxId }) as StoredSandbox
const logger = makeLogger({ process: 'host', level: 'silent' })

/** Disks whose comparison is what `compare` does. */
function pointsOver(compare: DiskStore['compareWithSnapshot']) {
  const snapshots = new Map<string, string>()
  const store = {
    find: async (sandboxId) => ({ sandboxId, snapshotId: snapshots.get(sandboxId) ?? 'first', at: 1 }),
  } as Pick<PausePointsStore, 'find'> as PausePointsStore
  const disks = { compareWithSnapshot: compare } as Pick<DiskStore, 'compareWithSnapshot'> as DiskStore
  return { points: makePausePoints({ disks, store, keptSnapshots: async () => new Set(), logger }), snapshots }
}

test('a check during which the sandbox is paused again has nothing to compare with, and is not an error', async () => {
  const { points, snapshots } = pointsOver(async () => {
    snapshots.set('s', 'second')
    throw new Error('a directory went away')
  })
  expect(await points.changes(sandboxOf('s'))).toMatchObject({ since: null })
  await expect(points.changes(sandboxOf('s'))).rejects.toThrow('a directory went away')
})

test('a disk with too many files counts as changed; one that cannot be read is an error', async () => {
  const problems = [tooManyFiles({ mostFiles: 1, mostMebibytes: 1 }), new Error('a disk is broken')]
  const { points } = pointsOver(async () => {
    throw problems.shift()
  })
  expect(await points.isUnchanged(sandboxOf('s'))).toBe(false)
  await expect(points.isUnchanged(sandboxOf('s'))).rejects.toThrow('a disk is broken')
})

/** A sandbox on a real disk, whose comparisons each wait until they are released. */
async function pointsOnDisk() {
  const directory = await mkdtemp(path.join(tmpdir(), 'threadbox-points-'))
  const database = openStateDatabase(path.join(directory, 'state.sqlite'))
  onTestFinished(async () => {
    await database.destroy()
    await rm(directory, { recursive: true, force: true })
  })
  const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const compareFrozen = async (): Promise<DiskChanges> => {
    begun.resolve()
    await released.promise
    const names = { removed: [], changed: ['note'], added: [], sizes: [], folders: [] }
    return { isSame: false, ...names, removedCount: 0, changedCount: 1, addedCount: 0 }
  }
  const volumes = { ...makeDirectoryVolumes(path.join(directory, 'disks'), roomySpace), compareFrozen }
  const disks = makeVolumeDiskStore({ volumes, reserves: { imageBytes: 0, memoryImageBytes: 0 }, logger })
  await disks.prepare()
  await disks.importImage({ imageId: 'image', build: (root) => writeFile(path.join(root, 'base'), 'image') })
  const disk = await disks.createDisk({ diskId: 'box', imageId: 'image', limitBytes: 2 ** 20 })
  const sandbox: StoredSandbox = {
    sandboxId: 'box',
    placeId: 'box',
    hostname: null,
    imageId: 'image',
    limits: defaultSandboxLimits,
    egress: { kind: 'none' },
    address: '198.18.0.2',
    createdAt: 1,
    manifestKey: null,
    isDeleting: false,
    isArchived: false,
  }
  await makeSandboxesStore(database).insert(sandbox)
  const store = makePausePointsStore(database)
  const points = makePausePoints({ disks, store, keptSnapshots: async () => new Set(), logger })
  let at = 0
  return {
    points,
    sandbox,
    disks,
    store,
    begun: begun.promise,
    release: released.resolve,
    write: () => writeFile(path.join(disk.path, 'note'), `${at}`),
    mark: (snapshotId: string) => points.mark(sandbox, { snapshotId, at: ++at }),
    snapshotIds: async () => (await disks.listSnapshots('box')).map(({ snapshotId }) => snapshotId),
  }
}

test('C4: a pause waits neither for a comparison with an earlier point nor for its removal, which follows', async () => {
  const { points, sandbox, mark, write, snapshotIds, begun, release } = await pointsOnDisk()
  const pause = async (snapshotId: string) => {
    await mark(snapshotId)
    points.dropEarlier(sandbox)
  }
  await pause('first')
  await points.dropped()
  await write()
  const compared = points.changes(sandbox)
  await begun
  // The removal of the first point waits for the comparison from the second pause on.
  for (const snapshotId of ['second', 'third', 'fourth']) await pause(snapshotId)
  expect(await snapshotIds()).toEqual(['first', 'fourth', 'second', 'third'])
  expect(await points.pathOf(sandbox)).toMatch(/fourth/)
  release()
  expect(await compared).toMatchObject({ since: 1, changed: ['note'] })
  await points.dropped()
  expect(await snapshotIds()).toEqual(['fourth'])
})

test('a snapshot that becomes the point is not removed as an earlier one, whenever earlier ones are listed', async () => {
  const { points, sandbox, disks, store, mark, snapshotIds } = await pointsOnDisk()
  await mark('first')
  const { snapshotDisk } = disks
  disks.snapshotDisk = async (options) => {
    const made = await snapshotDisk(options)
    points.dropEarlier(sandbox)
    await points.dropped()
    return made
  }
  const { set } = store
  store.set = async (point) => {
    points.dropEarlier(sandbox)
    await points.dropped()
    await set(point)
    points.dropEarlier(sandbox)
  }
  await mark('second')
  await points.dropped()
  expect(await snapshotIds()).toEqual(['second'])
})

test('a point that becomes one while earlier ones are listed stays', async () => {
  const { points, sandbox, disks, mark, snapshotIds } = await pointsOnDisk()
  await mark('first')
  const { listSnapshots } = disks
  disks.listSnapshots = async (diskId) => {
    disks.listSnapshots = listSnapshots
    const marked = mark('second')
    await expect.poll(snapshotIds).toContain('second')
    const listed = await listSnapshots(diskId)
    await marked
    return listed
  }
  points.dropEarlier(sandbox)
  await points.dropped()
  expect(await snapshotIds()).toEqual(['second'])
})

test('a snapshot that did not become the point is removed with the next earlier ones, and the point before it stays', async () => {
  const { points, sandbox, store, mark, snapshotIds } = await pointsOnDisk()
  await mark('first')
  const { set } = store
  store.set = async () => {
    throw new Error('the database is full')
  }
  await expect(mark('second')).rejects.toThrow('the database is full')
  store.set = set
  expect(await snapshotIds()).toEqual(['first', 'second'])
  points.dropEarlier(sandbox)
  await points.dropped()
  expect(await snapshotIds()).toEqual(['first'])
})
