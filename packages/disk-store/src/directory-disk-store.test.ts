import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeDirectoryDiskStore } from './directory-disk-store.ts'
import { describeDiskStore } from './disk-store.test-suite.ts'
import { roomySpace } from './testing.ts'

describeDiskStore({
  name: 'plain directories',
  abilities: { enforcesLimits: false, freezesImages: false, makesSnapshots: true },
  setUp: async () => {
    const directory = await mkdtemp(join(tmpdir(), 'threadbox-disks-'))
    return {
      root: directory,
      open: async () => makeDirectoryDiskStore({ directory, readSpace: roomySpace }),
      tearDown: () => rm(directory, { recursive: true, force: true }),
    }
  },
})

test('no disk is created once only the reserve is left', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'threadbox-disks-'))
  try {
    const reserves = { imageBytes: 0, memoryImageBytes: 2 ** 30 }
    let availableBytes = 2 ** 30 + 1
    const readSpace = async () => ({ totalBytes: 2 ** 31, availableBytes })
    const store = makeDirectoryDiskStore({ directory, reserves, readSpace })
    await store.prepare()
    await store.importImage({ imageId: 'base', build: async () => undefined })
    const make = (diskId: string) => store.createDisk({ diskId, imageId: 'base', limitBytes: 1024 * 1024 })
    await make('first')
    expect(await store.poolUsage()).toMatchObject({ totalBytes: 2 ** 31, usedBytes: 2 ** 30 - 1 })
    availableBytes = 2 ** 30
    await expect(make('one')).rejects.toMatchObject({ code: 'disk.pool-full', kind: 'out-of-space' })
    expect((await store.listDisks()).map(({ diskId }) => diskId)).toEqual(['first'])
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
})
