import { execFile, execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat, statfs, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { makeLogger } from '@threadbox/telemetry'
import { repeats } from '@threadbox/testkit/repeats'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { btrfs } from './btrfs-commands.ts'
import { type BtrfsDiskStoreOptions, makeBtrfsDiskStore } from './btrfs-disk-store.ts'
import { describeDiskStore } from './disk-store.test-suite.ts'
import { listMounts, loopDevicesOf } from './mounts.ts'

const MiB = 1024 * 1024
const logger = makeLogger({ process: 'test', level: 'silent' })
const noReserves = { imageBytes: 0, memoryImageBytes: 0 }

describeDiskStore({
  name: 'btrfs in a file, simple quotas',
  abilities: { enforcesLimits: true, freezesImages: true, makesSnapshots: true },
  setUp: async () => {
    const place = await makePlace()
    return { root: place.mountPoint, open: () => place.open(), tearDown: place.tearDown }
  },
})

describeDiskStore({
  name: 'btrfs of the user, full quotas',
  abilities: { enforcesLimits: true, freezesImages: true, makesSnapshots: false },
  setUp: async () => {
    const outer = await makePlace()
    const first = await outer.open()
    // A mounted btrfs that the store does not own: the store must detect it.
    await first.prepare()
    execFileSync('btrfs', ['quota', 'disable', outer.mountPoint])
    const directory = join(outer.mountPoint, 'data')
    return {
      root: join(directory, 'pool'),
      open: () => outer.open({ directory }),
      async tearDown() {
        expect(await btrfs.quotaMode(outer.mountPoint)).toBe('full')
        execFileSync('umount', [join(directory, 'pool')])
        await outer.tearDown()
      },
    }
  },
})

describe('the pool file', () => {
  let place: Awaited<ReturnType<typeof makePlace>>
  afterEach(async () => place.tearDown())

  test('is fully allocated, also after files are deleted and trimmed, and is mounted safely', async () => {
    place = await makePlace()
    const store = await place.open()
    await store.prepare()
    const full = await stat(place.file)
    expect(full.blocks * 512).toBeGreaterThanOrEqual(full.size)
    const mount = (await listMounts()).find((each) => each.mountPoint === place.mountPoint)
    expect(mount?.options).toEqual(new Set(['rw', 'nosuid', 'nodev', 'noatime']))
    expect((await stat(place.mountPoint)).mode & 0o777).toBe(0o700)

    await writeFile(join(place.mountPoint, 'big'), Buffer.alloc(64 * MiB, 'x'))
    execFileSync('btrfs', ['filesystem', 'sync', place.mountPoint])
    await rm(join(place.mountPoint, 'big'))
    execFileSync('btrfs', ['filesystem', 'sync', place.mountPoint])
    expect(() => execFileSync('fstrim', [place.mountPoint], { stdio: 'pipe' })).toThrow(/not supported/)
    const after = await stat(place.file)
    expect(after.blocks * 512).toBeGreaterThanOrEqual(after.size)
  })

  test('is found mounted after a crash of the daemon and used again, with one loop device', async () => {
    place = await makePlace()
    await (await place.open()).prepare()
    const devices = await loopDevicesOf(place.file)
    const second = await place.open()
    await second.prepare()
    expect(await loopDevicesOf(place.file)).toEqual(devices)
    expect((await listMounts()).filter((mount) => mount.mountPoint === place.mountPoint)).toHaveLength(1)
    await second.close()
    // The kernel releases the device when nothing has it open; another program can be reading the list of devices.
    await expect.poll(() => loopDevicesOf(place.file), { timeout: 120_000 }).toEqual([])
  })

  test('a loop device that was attached but not mounted is used', async () => {
    place = await makePlace()
    const store = await place.open()
    await store.prepare()
    await store.close()
    // The kernel lets go of its device a moment later, when something else has it open.
    await expect.poll(() => loopDevicesOf(place.file)).toEqual([])
    const stray = execFileSync('losetup', ['--find', '--show', place.file], { encoding: 'utf8' }).trim()
    await store.prepare()
    expect(await loopDevicesOf(place.file)).toEqual([stray])
  })

  test('grows in use to a larger size and never shrinks', async () => {
    place = await makePlace()
    await (await place.open()).prepare()
    const larger = await place.open({ poolSizeBytes: 600 * MiB })
    await larger.prepare()
    expect((await stat(place.file)).size).toBe(600 * MiB)
    expect((await larger.poolUsage()).totalBytes).toBe(600 * MiB)
    await (await place.open({ poolSizeBytes: 300 * MiB })).prepare()
    const file = await stat(place.file)
    expect(file.size).toBe(600 * MiB)
    expect(file.blocks * 512).toBeGreaterThanOrEqual(file.size)
  })

  test('with holes in it is rejected, and the remedy repairs it', async () => {
    place = await makePlace()
    const store = await place.open()
    await store.prepare()
    await store.importImage({ imageId: 'base', build: (path) => writeFile(join(path, 'kept'), 'yes') })
    await store.close()
    await truncate(place.file, 700 * MiB)
    const error = await store.prepare().then(
      () => undefined,
      (thrown) => thrown,
    )
    expect(error).toMatchObject({ code: 'disk.pool-sparse' })
    const fixArguments = /`fallocate (-l \d+ \S+)`/.exec(error.remedy)?.[1]?.split(' ') ?? []
    execFileSync('fallocate', fixArguments)
    await store.prepare()
    expect(await readFile(join((await store.listImages())[0]!.path, 'kept'), 'utf8')).toBe('yes')
  })

  test('is not created when the underlying disk would be too full, and nothing is left of the attempt', async () => {
    place = await makePlace()
    const { bavail, bsize } = await statfs(place.directory)
    const store = await place.open({ keepFreeBytes: bavail * bsize })
    await expect(store.prepare()).rejects.toMatchObject({ code: 'disk.machine-full', kind: 'out-of-space' })
    expect(await readdir(place.directory)).toEqual(['pool'])
  })

  test('an interrupted creation starts over', async () => {
    place = await makePlace()
    await writeFile(`${place.file}.unfinished`, 'half a file system')
    await (await place.open()).prepare()
    expect((await readdir(place.directory)).sort()).toEqual(['pool', 'pool.img'])
  })

  test('in use is not released', async () => {
    place = await makePlace()
    const store = await place.open()
    await store.prepare()
    const { open } = await import('node:fs/promises')
    await using _held = await open(join(place.mountPoint, 'held'), 'w')
    await expect(store.close()).rejects.toMatchObject({ code: 'disk.pool-busy' })
  })

  test('keeps its reserve: all disks together cannot use it, and no new disk is created', async () => {
    place = await makePlace()
    const reserves = { imageBytes: 64 * MiB, memoryImageBytes: 128 * MiB }
    const store = await place.open({ reserves })
    await store.prepare()
    await store.importImage({ imageId: 'base', build: async () => undefined })
    const make = (diskId: string) => store.createDisk({ diskId, imageId: 'base', limitBytes: 400 * MiB })
    for (const disk of await Promise.all(['one', 'two', 'three'].map(make))) {
      try {
        execFileSync('dd', ['if=/dev/urandom', `of=${disk.path}/f`, 'bs=1M', 'count=200', 'status=none'], {
          stdio: 'pipe',
        })
      } catch (error) {
        expect(String(error)).toMatch(/quota exceeded/)
      }
      await store.syncDisk(disk.diskId)
    }
    const usage = await store.poolUsage()
    expect(usage.totalBytes - usage.usedBytes).toBeGreaterThan(reserves.memoryImageBytes)
    // Memory images are stored outside the disks and are not limited by what the disks hold.
    const memory = await store.makeMemoryPlace({ diskId: 'one', imageId: 'saved' })
    execFileSync('dd', ['if=/dev/urandom', `of=${memory.path}/pages`, 'bs=1M', 'count=128', 'conv=fsync'], {
      stdio: 'pipe',
    })
    await expect(make('four')).rejects.toMatchObject({ code: 'disk.pool-full' })
  })

  test.each(['single', 'dup'])(
    'keeps its reserve from a disk that fills it with small files, stored as %s',
    async (copies) => {
      place = await makePlace()
      // A pool of an earlier version stores its tables twice, and is used as it is.
      if (copies === 'dup') await makePoolFile({ file: place.file, metadata: 'dup' })
      const reserves = { imageBytes: 0, memoryImageBytes: 352 * MiB }
      const store = await place.open({ reserves })
      await store.prepare()
      await store.importImage({ imageId: 'base', build: async () => undefined })
      const make = (diskId: string) => store.createDisk({ diskId, imageId: 'base', limitBytes: 1024 * MiB })
      const disk = await make('one')
      // Content of this size is stored in a table, with the file's name.
      await expect(fillWithFiles({ directory: disk.path, bytesEach: 2000 })).resolves.toMatch(/quota exceeded|No space/)
      await store.syncDisk('one')

      const memory = await store.makeMemoryPlace({ diskId: 'one', imageId: 'saved' })
      execFileSync('dd', ['if=/dev/urandom', `of=${memory.path}/pages`, 'bs=1M', 'count=352', 'conv=fsync'], {
        stdio: 'pipe',
      })
      await store.syncMemoryPlace({ diskId: 'one', imageId: 'saved' })
      await rm(memory.path, { recursive: true })

      await store.deleteDisk('one')
      await vi.waitFor(
        async () => {
          const next = await make('two')
          await writeFile(join(next.path, 'content'), randomBytes(8 * MiB), { flush: true })
        },
        { timeout: 60_000, interval: 500 },
      )
    },
  )

  test('reports its usage at any moment while images are added and deleted, and counts only existing ones', async () => {
    place = await makePlace()
    const reserves = { imageBytes: 64 * MiB, memoryImageBytes: 0 }
    const store = await place.open({ reserves })
    await store.prepare()
    let hasEnded = false
    const ask = async () => {
      while (!hasEnded) await store.poolUsage()
    }
    const rounds = repeats({
      what: 'images that are added and deleted while usage is reported',
      byDefault: 6,
      full: 12,
    })
    const asking = Promise.all([ask(), ask()])
    try {
      for (let round = 0; round < rounds; round++) {
        await store.importImage({ imageId: 'passing', build: async () => undefined })
        await store.deleteImage('passing')
      }
      const build = (path: string) => writeFile(join(path, 'content'), randomBytes(40 * MiB))
      await store.importImage({ imageId: 'lasting', build })
    } finally {
      hasEnded = true
    }
    await asking
    expect((await store.poolUsage()).reservedBytes).toBeLessThan(25 * MiB)
  })

  test('C10: quota groups can be listed at any moment while disks are created and deleted', async () => {
    place = await makePlace()
    const store = await place.open()
    await store.prepare()
    await store.importImage({ imageId: 'base', build: async () => undefined })
    const rounds = repeats({ what: 'disks that are created and deleted by each of three', byDefault: 3, full: 10 })
    let hasEnded = false
    let listed = 0
    const list = async () => {
      for (; !hasEnded; listed += 1) await btrfs.listGroups(place.mountPoint)
    }
    const listing = Promise.all([list(), list()])
    const come = async (diskId: string) => {
      for (let round = 0; round < rounds; round++) {
        await store.createDisk({ diskId, imageId: 'base', limitBytes: 50 * MiB })
        await store.deleteDisk(diskId)
      }
    }
    try {
      await Promise.all(['one', 'two', 'three'].map(come))
    } finally {
      hasEnded = true
    }
    await listing
    expect(listed).toBeGreaterThan(0)
  })

  test('C10: the quota group of a deleted disk is removed too, and one that a crash left is removed at the next start', async () => {
    place = await makePlace()
    const store = await place.open()
    await store.prepare()
    await store.importImage({ imageId: 'base', build: async () => undefined })
    const before = await btrfs.listGroups(place.mountPoint)
    await store.createDisk({ diskId: 'one', imageId: 'base', limitBytes: 50 * MiB })
    expect((await btrfs.listGroups(place.mountPoint)).length).toBe(before.length + 2)
    await store.deleteDisk('one')
    await store.close()
    const again = await place.open()
    await again.prepare()
    expect((await btrfs.listGroups(place.mountPoint)).map((group) => group.groupId)).toEqual(
      before.map((group) => group.groupId),
    )
    const parentId = before.find((group) => group.groupId.startsWith('2/'))!.groupId
    await btrfs.createGroup({ path: place.mountPoint, groupId: '1/4711' })
    await btrfs.assignGroup({ path: place.mountPoint, groupId: '1/4711', parentId })
    await (await place.open()).prepare()
    expect((await btrfs.listGroups(place.mountPoint)).length).toBe(before.length)
  })

  test('a disk cannot evade its limit with snapshots', async () => {
    place = await makePlace()
    const store = await place.open()
    await store.prepare()
    await store.importImage({ imageId: 'base', build: async () => undefined })
    const disk = await store.createDisk({ diskId: 'one', imageId: 'base', limitBytes: 50 * MiB })
    const group = (await btrfs.listGroups(place.mountPoint)).find((each) => each.groupId.startsWith('1/'))!
    const write = () =>
      execFileSync('dd', ['if=/dev/urandom', `of=${disk.path}/f`, 'bs=1M', 'count=30', 'conv=fsync'], { stdio: 'pipe' })
    write()
    await btrfs.snapshot({ from: disk.path, to: join(place.mountPoint, 'kept'), groupId: group.groupId })
    expect(write).toThrow(/quota exceeded/)
  })
})

/** As earlier versions made it. */
async function makePoolFile({ file, metadata }: { file: string; metadata: string }): Promise<void> {
  execFileSync('fallocate', ['--length', String(512 * MiB), file])
  execFileSync('mkfs.btrfs', ['--quiet', '--nodiscard', '--metadata', metadata, file])
}

/** Returns the error that ended it. Runs beside this process, which keeps the reserve. */
async function fillWithFiles(options: { directory: string; bytesEach: number }): Promise<string> {
  const program =
    'my ($directory, $bytes) = @ARGV; open(my $random, "<", "/dev/urandom"); sysread($random, my $content, $bytes); ' +
    'my $number = 0; ' +
    'while (1) { $number += 1; open(my $file, ">", "$directory/$number") or last; ' +
    'syswrite($file, $content) == $bytes or last; close($file) or last } print $!'
  const { stdout } = await promisify(execFile)('perl', ['-e', program, options.directory, String(options.bytesEach)])
  return stdout
}

async function makePlace() {
  const directory = await mkdtemp(join(tmpdir(), 'threadbox-pool-'))
  const mountPoint = join(directory, 'pool')
  const file = join(directory, 'pool.img')
  return {
    directory,
    mountPoint,
    file,
    open: (more: Partial<BtrfsDiskStoreOptions> = {}) =>
      makeBtrfsDiskStore({
        installation: 'test00',
        directory,
        poolSizeBytes: 512 * MiB,
        keepFreeBytes: 0,
        reserves: noReserves,
        logger,
        ...more,
      }),
    async tearDown() {
      // A call about a deleted volume keeps the pool busy a moment longer.
      const unmount = () => execFileSync('umount', [mountPoint], { stdio: 'pipe' })
      const isMounted = (await listMounts()).some((mount) => mount.mountPoint === mountPoint)
      if (isMounted) await vi.waitFor(unmount, { timeout: 30_000, interval: 100 })
      // The kernel releases the device of an unmounted pool a moment later.
      const detach = async () => {
        for (const device of await loopDevicesOf(file).catch(() => []))
          execFileSync('losetup', ['--detach', device], { stdio: 'pipe' })
      }
      await vi.waitFor(detach, { timeout: 30_000, interval: 100 })
      await rm(directory, { recursive: true, force: true })
    },
  }
}
