import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeDirectoryDiskStore } from './directory-disk-store.ts'
import { describeDiskStore } from './disk-store.test-suite.ts'

describeDiskStore({
  name: 'plain directories',
  abilities: { enforcesLimits: false, freezesImages: false, makesSnapshots: true },
  setUp: async () => {
    const directory = await mkdtemp(join(tmpdir(), 'threadbox-disks-'))
    return {
      root: directory,
      open: async () => makeDirectoryDiskStore({ directory }),
      tearDown: () => rm(directory, { recursive: true, force: true }),
    }
  },
})

test('no disk is made once only the reserve is left', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'threadbox-disks-'))
  try {
    const reserves = { imageBytes: 0, memoryImageBytes: Number.MAX_SAFE_INTEGER }
    const store = makeDirectoryDiskStore({ directory, reserves })
    await store.prepare()
    await store.importImage({ imageId: 'base', build: async () => undefined })
    const made = store.createDisk({ diskId: 'one', imageId: 'base', limitBytes: 1024 * 1024 })
    await expect(made).rejects.toMatchObject({ code: 'disk.pool-full', kind: 'out-of-space' })
    expect(await store.listDisks()).toEqual([])
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
})
