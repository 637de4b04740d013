import { execFileSync } from 'node:child_process'
import { access, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeSnapshots } from './disk-snapshots.test-suite.ts'
import type { DiskStore } from './disk-store.ts'
import type { DiskStoreAbilities } from './disk-store-abilities.ts'

const MiB = 1024 * 1024

/**
 * The contract of {@link DiskStore}. Each `open` creates a store over the same directory, so the suite can reopen it as
 * after a crash; `root` is where its images and disks are.
 */
export function describeDiskStore(options: {
  name: string
  abilities: DiskStoreAbilities
  setUp: () => Promise<{ open: () => Promise<DiskStore>; root: string; tearDown: () => Promise<void> }>
}): void {
  const { name, abilities, setUp } = options

  describe(`disk store: ${name}`, () => {
    let store: DiskStore
    let place: Awaited<ReturnType<typeof setUp>>

    beforeAll(async () => {
      place = await setUp()
      store = await place.open()
      await store.prepare()
      await store.importImage({ imageId: 'base', build: (path) => writeFile(join(path, 'hello'), 'from the image') })
    })
    afterAll(async () => {
      await place?.tearDown()
    })

    test('preparing again changes nothing', async () => {
      await store.prepare()
      expect(await store.listImages()).toEqual([await imageOf('base')])
    })

    test('an image is built once, and again after its build failed', async () => {
      const build = () => Promise.reject(new Error('no such package'))
      await expect(store.importImage({ imageId: 'late', build })).rejects.toThrow('no such package')
      expect((await store.listImages()).map((image) => image.imageId)).toEqual(['base'])
      expect(await readdir(join(place.root, 'images'))).toEqual(['base'])

      let builds = 0
      const count = async () => {
        builds += 1
      }
      const both = await Promise.all([1, 2].map(() => store.importImage({ imageId: 'late', build: count })))
      expect(builds).toBe(1)
      expect(both[0]).toEqual(both[1])
      await store.deleteImage('late')
      await store.deleteImage('late')
      expect((await store.listImages()).map((image) => image.imageId)).toEqual(['base'])
    })

    test.skipIf(!abilities.freezesImages)('an image cannot be changed', async () => {
      const image = await imageOf('base')
      await expect(writeFile(join(image.path, 'hello'), 'changed')).rejects.toMatchObject({ code: 'EROFS' })
    })

    test('C9: what one disk writes is in no other disk and not in the image', async () => {
      const [a, b] = await Promise.all(['iso-a', 'iso-b'].map((diskId) => make({ diskId })))
      await writeFile(join(a!.path, 'hello'), 'changed by a')
      await mkdir(join(a!.path, 'only-in-a'))
      expect(await readFile(join(b!.path, 'hello'), 'utf8')).toBe('from the image')
      expect(await readdir(b!.path)).toEqual(['hello'])
      expect(await readdir((await imageOf('base')).path)).toEqual(['hello'])
    })

    test('a disk can be made durable without the data of others; one that does not exist cannot', async () => {
      const disk = await make({ diskId: 'durable' })
      await writeFile(join(disk.path, 'kept'), 'yes')
      await store.commitDisk('durable')
      expect(await readFile(join(disk.path, 'kept'), 'utf8')).toBe('yes')
      await expect(store.commitDisk('unknown')).rejects.toMatchObject({ code: 'disk.not-found' })
    })

    test('creating a disk that exists returns it unchanged', async () => {
      const first = await make({ diskId: 'again' })
      await writeFile(join(first.path, 'kept'), 'yes')
      expect(await make({ diskId: 'again' })).toEqual(first)
      expect(await store.getDisk('again')).toEqual(first)
      expect(await readFile(join(first.path, 'kept'), 'utf8')).toBe('yes')
    })

    test('a disk of an unknown image is rejected and leaves nothing', async () => {
      await expect(make({ diskId: 'orphan', imageId: 'unknown' })).rejects.toMatchObject({
        code: 'disk.image-not-found',
      })
      await expect(store.getDisk('orphan')).rejects.toMatchObject({ code: 'disk.not-found' })
      expect(await readdir(join(place.root, 'disks'))).not.toContain('orphan')
    })

    test.each(['', '..', '.hidden', 'a/b', '../x', '-rf', 'A', 'a\nb', 'x'.repeat(65)])(
      'the id %j is refused before anything happens',
      async (id) => {
        await expect(make({ diskId: id })).rejects.toMatchObject({ code: 'disk.id-invalid' })
        await expect(store.deleteDisk(id)).rejects.toMatchObject({ code: 'disk.id-invalid' })
        await expect(store.getDisk(id)).rejects.toMatchObject({ code: 'disk.id-invalid' })
        const build = () => Promise.resolve()
        await expect(store.importImage({ imageId: id, build })).rejects.toMatchObject({ code: 'disk.id-invalid' })
      },
    )

    test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('the limit %d is rejected', async (limitBytes) => {
      await expect(make({ diskId: 'bad-limit', limitBytes })).rejects.toMatchObject({ code: 'disk.limit-invalid' })
    })

    test('an image in use is not deleted', async () => {
      await make({ diskId: 'user-of-base' })
      await expect(store.deleteImage('base')).rejects.toMatchObject({ code: 'disk.image-in-use' })
    })

    test('C10: a deleted disk no longer exists, and deleting it again does nothing', async () => {
      const disk = await make({ diskId: 'goner' })
      await mkdir(join(disk.path, 'deep/er'), { recursive: true })
      await symlink('/etc', join(disk.path, 'deep/link'))
      await store.deleteDisk('goner')
      await store.deleteDisk('goner')
      await expect(access(disk.path)).rejects.toMatchObject({ code: 'ENOENT' })
      expect((await store.listDisks()).map((each) => each.diskId)).not.toContain('goner')
      await expect(store.diskUsage('goner')).rejects.toMatchObject({ code: 'disk.not-found' })
      await expect(store.syncDisk('goner')).rejects.toMatchObject({ code: 'disk.not-found' })
      await expect(store.setDiskLimit({ diskId: 'goner', limitBytes: MiB })).rejects.toMatchObject({
        code: 'disk.not-found',
      })
      await access('/etc/passwd')
    })

    test('a disk can be created under the name of a deleted one, and is empty and limited', async () => {
      const first = await make({ diskId: 'phoenix' })
      await writeFile(join(first.path, 'big'), Buffer.alloc(8 * MiB, 'x'))
      await store.deleteDisk('phoenix')
      const second = await make({ diskId: 'phoenix', limitBytes: 32 * MiB })
      expect(await readdir(second.path)).toEqual(['hello'])
      expect((await store.diskUsage('phoenix')).limitBytes).toBe(32 * MiB)
    })

    test('usage counts what the disk wrote and not its image', async () => {
      const disk = await make({ diskId: 'counted', limitBytes: 64 * MiB })
      await store.syncDisk('counted')
      expect((await store.diskUsage('counted')).usedBytes).toBeLessThan(MiB)
      fill({ path: join(disk.path, 'data'), mebibytes: 10 })
      await store.syncDisk('counted')
      const usage = await store.diskUsage('counted')
      expect(usage.usedBytes).toBeGreaterThan(9 * MiB)
      expect(usage.usedBytes).toBeLessThan(13 * MiB)
      expect(usage.limitBytes).toBe(64 * MiB)
      await store.setDiskLimit({ diskId: 'counted', limitBytes: 128 * MiB })
      expect((await store.diskUsage('counted')).limitBytes).toBe(128 * MiB)
    })

    test.skipIf(!abilities.enforcesLimits)(
      'a full disk fails its own writes, not those of its neighbors, and can be emptied',
      async () => {
        const full = await make({ diskId: 'full', limitBytes: 20 * MiB })
        const neighbor = await make({ diskId: 'neighbor' })
        expect(() => fill({ path: join(full.path, 'data'), mebibytes: 40 })).toThrow(/quota exceeded|No space left/i)
        fill({ path: join(neighbor.path, 'data'), mebibytes: 40 })
        execFileSync('rm', [join(full.path, 'data')])
        await store.syncDisk('full')
        fill({ path: join(full.path, 'data'), mebibytes: 10 })
      },
    )

    test.skipIf(!abilities.enforcesLimits)(
      'a limit takes effect immediately, also below the current usage',
      async () => {
        const disk = await make({ diskId: 'shrunk', limitBytes: 64 * MiB })
        fill({ path: join(disk.path, 'data'), mebibytes: 20 })
        await store.setDiskLimit({ diskId: 'shrunk', limitBytes: 10 * MiB })
        expect(() => fill({ path: join(disk.path, 'more'), mebibytes: 1 })).toThrow(/quota exceeded|No space left/i)
        await store.setDiskLimit({ diskId: 'shrunk', limitBytes: 64 * MiB })
        fill({ path: join(disk.path, 'more'), mebibytes: 1 })
      },
    )

    test('what a crash left incomplete is removed at the next start, complete things are kept', async () => {
      const kept = await make({ diskId: 'survivor' })
      await writeFile(join(kept.path, 'kept'), 'yes')
      const started = Promise.withResolvers<void>()
      const build = async (path: string) => {
        await writeFile(join(path, 'half'), 'written')
        started.resolve()
        await new Promise(() => undefined)
      }
      void store.importImage({ imageId: 'half', build })
      await started.promise
      await mkdir(join(place.root, 'disks/.half~0123456789ab/root'), { recursive: true })
      const reopened = await place.open()
      await reopened.prepare()
      expect((await readdir(join(place.root, 'images'))).filter((entry) => entry.startsWith('.'))).toEqual([])
      expect((await readdir(join(place.root, 'disks'))).filter((entry) => entry.startsWith('.'))).toEqual([])
      expect(await readFile(join((await reopened.getDisk('survivor')).path, 'kept'), 'utf8')).toBe('yes')
      store = reopened
    })

    test('pool usage adds up', async () => {
      const usage = await store.poolUsage()
      expect(usage.usedBytes).toBeGreaterThan(0)
      expect(usage.totalBytes).toBeGreaterThan(usage.usedBytes)
      expect(usage.reservedBytes).toBeGreaterThanOrEqual(0)
    })

    describeSnapshots({
      abilities,
      subject: () => ({ store, place, make: (diskId) => make({ diskId }), reopen }),
    })

    async function reopen() {
      store = await place.open()
      await store.prepare()
      return store
    }
    async function imageOf(imageId: string) {
      const image = (await store.listImages()).find((each) => each.imageId === imageId)
      if (image === undefined) throw new Error(`the store lists no image ${imageId}`)
      return image
    }
    function make(wanted: { diskId: string; imageId?: string; limitBytes?: number }) {
      return store.createDisk({ imageId: 'base', limitBytes: 64 * MiB, ...wanted })
    }
  })
}

/** Writes bytes that do not compress, and waits until they are on the disk. */
function fill(options: { path: string; mebibytes: number }): void {
  const { path, mebibytes } = options
  execFileSync('dd', ['if=/dev/urandom', `of=${path}`, 'bs=1M', `count=${mebibytes}`, 'conv=fsync', 'status=none'], {
    stdio: 'pipe',
  })
}
