import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeLogger } from '@threadbox/telemetry'
import { expect, onTestFinished, test } from 'vitest'
import { makeDirectoryVolumes } from './directory-disk-store.ts'
import { roomySpace } from './testing.ts'
import { makeVolumeDiskStore } from './volume-disk-store.ts'
import type { Volumes } from './volumes.ts'

/** A disk with a snapshot and a later file, over plain directories some of whose operations fail. */
async function makeDiskOver(change: (volumes: Volumes) => Partial<Volumes>) {
  const directory = await mkdtemp(join(tmpdir(), 'threadbox-volumes-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const volumes = makeDirectoryVolumes(directory, roomySpace)
  const logger = makeLogger({ process: 'test', level: 'silent' })
  const reserves = { imageBytes: 0, memoryImageBytes: 0 }
  const open = (more: Partial<Volumes>) => makeVolumeDiskStore({ volumes: { ...volumes, ...more }, reserves, logger })
  const plain = open({})
  await plain.prepare()
  await plain.importImage({ imageId: 'base', build: async () => undefined })
  const disk = await plain.createDisk({ diskId: 'one', imageId: 'base', limitBytes: 1024 * 1024 })
  const point = { diskId: 'one', snapshotId: 'point' }
  await plain.snapshotDisk(point)
  await writeFile(join(disk.path, 'note'), 'new')
  const passing = async () =>
    (await readdir(join(directory, 'disks/one/snapshots'))).filter((name) => name.startsWith('.passing~'))
  return { store: open(change(volumes)), plain, point, passing }
}

const quickResult = {
  isSame: true,
  removed: [],
  changed: [],
  added: [],
  sizes: [],
  folders: [],
  removedCount: 0,
  changedCount: 0,
  addedCount: 0,
}
const refuse = async () => {
  throw new Error('Resource temporarily unavailable')
}

test('a disk that cannot be frozen for a comparison, for any reason, is read completely', async () => {
  const { store, point } = await makeDiskOver(() => ({ compareFrozen: async () => quickResult, snapshot: refuse }))
  expect(await store.compareWithSnapshot(point)).toMatchObject({ isSame: false, added: ['note'] })
})

test('a comparison succeeds although its frozen copy cannot be removed, and the next comparison removes it', async () => {
  let isRefusing = true
  const { store, point, passing } = await makeDiskOver((volumes) => ({
    compareFrozen: async () => quickResult,
    removeKeepingLimit: (path) =>
      isRefusing && path.includes('.passing~') ? refuse() : volumes.removeKeepingLimit(path),
  }))
  expect(await store.compareWithSnapshot(point)).toEqual(quickResult)
  expect(await passing()).toHaveLength(1)
  isRefusing = false
  expect(await store.compareWithSnapshot(point)).toEqual(quickResult)
  expect(await passing()).toEqual([])
})

test('a start and a restore continue although a frozen copy cannot be removed yet', async () => {
  const { store, plain, point, passing } = await makeDiskOver((volumes) => ({
    compareFrozen: async () => quickResult,
    removeKeepingLimit: (path) => (path.includes('.passing~') ? refuse() : volumes.removeKeepingLimit(path)),
  }))
  await store.compareWithSnapshot(point)
  await store.prepare()
  const restored = await store.restoreSnapshot(point)
  expect(await readdir(restored.path)).toEqual([])
  expect(await passing()).toHaveLength(1)
  await expect(store.deleteDisk('one')).rejects.toThrow('unavailable')
  await plain.prepare()
  expect(await plain.listDisks()).toEqual([])
})

test('a snapshot can be created while another one is being removed, which is hidden from the beginning', async () => {
  const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { store, point } = await makeDiskOver((volumes) => ({
    removeKeepingLimit: async (path) => {
      begun.resolve()
      await released.promise
      await volumes.removeKeepingLimit(path)
    },
  }))
  const removed = store.deleteSnapshot(point)
  await begun.promise
  await store.snapshotDisk({ diskId: 'one', snapshotId: 'next' })
  expect((await store.listSnapshots('one')).map(({ snapshotId }) => snapshotId)).toEqual(['next'])
  await expect(store.snapshotDisk({ diskId: 'one', snapshotId: 'other', of: 'point' })).rejects.toMatchObject({
    code: 'disk.snapshot-not-found',
  })
  await store.snapshotDisk(point)
  released.resolve()
  await removed
  expect((await store.listSnapshots('one')).map(({ snapshotId }) => snapshotId)).toEqual(['next', 'point'])
})
