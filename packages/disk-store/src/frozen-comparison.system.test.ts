import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  closeSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeLogger } from '@threadbox/telemetry'
import { repeats, seeded } from '@threadbox/testkit/repeats'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { btrfs } from './btrfs-commands.ts'
import { makeBtrfsDiskStore } from './btrfs-disk-store.ts'
import type { Disk, DiskStore } from './disk-store.ts'
import { compareFrozen } from './frozen-comparison.ts'
import { compareTrees } from './tree-comparison.ts'

const MiB = 1024 * 1024
/** Of the 23 kinds of changes, some are rarely possible. */
const enoughKinds = 19
const logger = makeLogger({ process: 'test', level: 'silent' })

describe('differences between two frozen volumes', () => {
  let pool: Awaited<ReturnType<typeof makePool>>
  beforeAll(async () => {
    pool = await makePool()
  })
  afterAll(() => pool?.tearDown())

  /** Compares in both directions. */
  const expectSameAnswer = async ({ one, other, why }: { one: string; other: string; why: string }) => {
    const directions = [
      { before: one, after: other },
      { before: other, after: one },
    ]
    const wholes = Promise.all(directions.map((each) => compareTrees({ ...each, comparesInodes: true })))
    const quick = await Promise.all(directions.map((each) => compareFrozen(each, logger)))
    expect(quick, why).toEqual(await wholes)
  }

  test('are found exactly after any changes to files and directories', { timeout: 600_000 }, async () => {
    const rounds = repeats({ what: 'random changes of a tree that are compared', byDefault: 25, full: 100 })
    const { between } = seeded('changes of a tree')
    const random = (below: number) => Math.floor(between(0, below))
    const places = join(pool.root, 'random')
    mkdirSync(places)
    let work = join(places, 'work-0')
    await btrfs.createVolume(work)
    const points: string[] = []
    const held: number[] = []
    const done = new Set<string>()
    onTestFinished(() => held.forEach(closeSync))
    // A few rounds can leave out kinds of changes: then there are more.
    for (let round = 0; round < rounds || (done.size < enoughKinds && round < 4 * rounds); round++) {
      const log: string[] = []
      const [, transaction = '0'] = (await btrfs.generation(work)).split(':')
      const world = { work, random, held, log, done, transaction: Number(transaction) }
      for (let step = random(40); step >= 0; step--) act(world)
      const point = join(places, `point-${round}`)
      await btrfs.snapshot({ from: work, to: point, isReadOnly: true })
      const why = `round ${round}: ${log.join('; ')}`
      const earlier = points.at(-1)
      if (earlier !== undefined) await expectSameAnswer({ one: earlier, other: point, why })
      points.push(point)
      // Another branch of the same tree: the same inode numbers for other files.
      if (round % 6 === 5) {
        const from = points[random(points.length)] as string
        await expectSameAnswer({ one: from, other: point, why: `${why}; against ${from}` })
        work = join(places, `work-${round + 1}`)
        await btrfs.snapshot({ from, to: work })
      }
    }
    expect(done.size, 'kinds of changes that were made').toBeGreaterThanOrEqual(enoughKinds)
  })

  test('are found under all names of a file, however many, and with line breaks in them', async () => {
    const { disk, freeze } = await pool.make('links')
    const at = (name: string) => join(disk.path, name)
    mkdirSync(at('far/away'), { recursive: true })
    writeFileSync(at('file'), 'x')
    for (const name of ['far/away/same', 'with\nnewline', 'far/\\']) linkSync(at('file'), at(name))
    const before = await freeze()
    chmodSync(at('far/away/same'), 0o600)
    const after = await freeze()
    expect(await compareFrozen({ before, after }, logger)).toMatchObject({
      changed: ['far/\\', 'far/away/same', 'file', 'with\nnewline'],
    })
    // More names than the file system lists in one call.
    for (let index = 0; index < 300; index++) linkSync(at('file'), at(`far/${index}-${'long'.repeat(20)}`))
    const many = await freeze()
    chmodSync(at('file'), 0o644)
    const changed = await freeze()
    expect(await compareFrozen({ before: many, after: changed }, logger)).toBeUndefined()
    const answer = await pool.store.compareWithSnapshot(pool.pointOf(many))
    expect(answer).toMatchObject({ changedCount: 304, addedCount: 0, removedCount: 0 })
  })

  test('are listed for a disk and its image, byte for byte, up to a limit', async () => {
    const { disk } = await pool.make('beside')
    expect(await pool.store.namesBesideImage('beside')).toEqual([])
    const names = ['of-mine', 'of-mine/deep', 'of-mine/deep/file', 'with\nnewline \xe4']
    mkdirSync(join(disk.path, 'of-mine/deep'), { recursive: true })
    for (const name of names.slice(2)) writeFileSync(Buffer.from(join(disk.path, name), 'latin1'), 'x')
    expect([...((await pool.store.namesBesideImage('beside')) ?? [])].sort()).toEqual(names)
    for (let index = 0; index < 20_000; index++) writeFileSync(join(disk.path, `of-mine/${index}`), '')
    expect(await pool.store.namesBesideImage('beside')).toBeUndefined()
  })

  test('are found if a directory has the inode number of another one', async () => {
    const { disk, freeze } = await pool.make('branches')
    const origin = pool.pointOf(await freeze())
    mkdirSync(join(disk.path, 'made'))
    const { ino } = lstatSync(join(disk.path, 'made'))
    writeFileSync(join(disk.path, 'made/gone'), 'x')
    const before = await freeze()
    await pool.store.restoreSnapshot(origin)
    mkdirSync(join(disk.path, 'made'))
    expect(lstatSync(join(disk.path, 'made')).ino).toBe(ino)
    writeFileSync(join(disk.path, 'made/new'), 'x')
    const after = await freeze()
    expect(await compareFrozen({ before, after }, logger)).toMatchObject({
      removed: ['made/gone'],
      added: ['made/new'],
    })
    await expectSameAnswer({ one: before, other: after, why: 'another directory of the same number' })
  })

  test('are not searched outside of the volumes if a directory became a link', async () => {
    const { disk, freeze } = await pool.make('traps')
    const at = (name: string) => join(disk.path, name)
    mkdirSync(at('etc'))
    writeFileSync(at('etc/passwd'), 'mine')
    linkSync(at('etc/passwd'), at('kept'))
    const before = await freeze()
    rmSync(at('etc'), { recursive: true })
    symlinkSync('/etc', at('etc'))
    const after = await freeze()
    const answer = await compareFrozen({ before, after }, logger)
    expect(answer).toMatchObject({ removed: ['etc/passwd'], changed: ['etc', 'kept'], added: [] })
    await expectSameAnswer({ one: before, other: after, why: 'a directory became a link' })
  })

  test('are found by reading both volumes if there are very many', async () => {
    const { disk, freeze } = await pool.make('masses')
    const before = await freeze()
    for (let index = 0; index < 17_000; index++) writeFileSync(join(disk.path, `file-${index}`), '')
    const after = await freeze()
    expect(await compareFrozen({ before, after }, logger)).toBeUndefined()
    expect(await pool.store.compareWithSnapshot(pool.pointOf(before))).toMatchObject({ addedCount: 17_000 })
  })

  test('are found by reading both volumes if btrfs cannot list them', async () => {
    const { disk, freeze } = await pool.make('refused')
    const before = await freeze()
    // btrfs compares only frozen volumes.
    expect(await compareFrozen({ before, after: disk.path }, logger)).toBeUndefined()
    expect(await compareFrozen({ before, after: join(disk.path, 'none') }, logger)).toBeUndefined()
  })
})

describe('comparing a disk with its snapshot', () => {
  let pool: Awaited<ReturnType<typeof makePool>>
  beforeAll(async () => {
    pool = await makePool()
  })
  afterAll(() => pool?.tearDown())

  test('uses its current content, including what is not written to disk yet, also after the disk was restored', async () => {
    const { disk, freeze } = await pool.make('now')
    const file = join(disk.path, 'file')
    writeFileSync(file, 'first')
    const first = pool.pointOf(await freeze())
    await using held = await open(file, 'a')
    await held.write(' and more')
    const sizes = [{ name: 'file', bytesBefore: 5, bytesNow: 14 }]
    expect(await pool.store.compareWithSnapshot(first)).toMatchObject({ changed: ['file'], sizes })
    const second = pool.pointOf(await freeze())
    await pool.store.restoreSnapshot(first)
    expect(await pool.store.compareWithSnapshot(first)).toMatchObject({ isSame: true, changedCount: 0 })
    // A new file has the inode number that another one has in the later snapshot.
    writeFileSync(join(disk.path, 'other'), 'x')
    for (const point of [first, second]) {
      const before = (await pool.store.listSnapshots('now')).find(({ snapshotId }) => snapshotId === point.snapshotId)
      const whole = await compareTrees({ before: before?.path ?? '', after: disk.path, comparesInodes: true })
      expect(await pool.store.compareWithSnapshot(point)).toEqual(whole)
    }
  })

  test('leaves no snapshot and no quota group, also after a crash in the middle', async () => {
    const { disk, freeze } = await pool.make('clean')
    const point = pool.pointOf(await freeze())
    const groups = async () => (await btrfs.listGroups(pool.root)).map(({ groupId }) => groupId)
    const before = new Set(await groups())
    for (let round = 0; round < 3; round++) await pool.store.compareWithSnapshot(point)
    const snapshots = join(disk.path, '../snapshots')
    expect(readdirSync(snapshots)).toEqual([point.snapshotId])
    await expect.poll(async () => (await groups()).filter((groupId) => !before.has(groupId))).toEqual([])

    const left = join(snapshots, '.passing~0123456789ab')
    mkdirSync(left)
    await btrfs.snapshot({ from: disk.path, to: join(left, 'root'), isReadOnly: true })
    await pool.store.prepare()
    expect(readdirSync(snapshots)).toEqual([point.snapshotId])
  })

  test('delays the deletion of its snapshots and of the disk until it has ended', async () => {
    const { freeze } = await pool.make('busy')
    const points = [await freeze(), await freeze(), await freeze()].map(pool.pointOf)
    const work = points.flatMap((point) => [
      pool.store.compareWithSnapshot(point),
      pool.store.snapshotDisk({ diskId: 'busy', snapshotId: `beside-${point.snapshotId}` }),
      pool.store.deleteSnapshot(point),
    ])
    await Promise.all(work)
    const [first] = await pool.store.listSnapshots('busy')
    if (first === undefined) throw new Error('no snapshot was made beside the comparisons')
    const compared = pool.store.compareWithSnapshot(first)
    await Promise.all([compared, pool.store.deleteDisk('busy')])
    expect(await compared).toMatchObject({ isSame: true })
    expect((await pool.store.listDisks()).map(({ diskId }) => diskId)).not.toContain('busy')
  })

  test('reads both if there is no space for a snapshot', async () => {
    const small = await makePool()
    try {
      const { disk, freeze } = await small.make('full')
      const point = small.pointOf(await freeze())
      writeFileSync(join(disk.path, 'late'), 'x')
      // Limits the group of the directories that contain disks and snapshots: nothing can be created there.
      await btrfs.limitGroup({ path: small.root, groupId: '0/5', limitBytes: 1, exclusive: false })
      expect(() => mkdirSync(join(disk.path, '../snapshots/none'))).toThrow('-122')
      expect(await small.store.compareWithSnapshot(point)).toMatchObject({ added: ['late'], addedCount: 1 })
      expect(readdirSync(join(disk.path, '../snapshots'))).toEqual([point.snapshotId])
    } finally {
      await small.tearDown()
    }
  })
})

type World = {
  work: string
  random: (below: number) => number
  /** Files that are kept open, some of them deleted. */
  held: number[]
  log: string[]
  /** The kinds of changes made so far. */
  done: Set<string>
  transaction: number
}

/** Makes one random change; an impossible one (a missing name, a directory into itself) changes nothing. */
function act(world: World): void {
  const { work, random, held, log } = world
  const [one, other] = [someName(world), someName(world)]
  const at = (name: Buffer) => Buffer.concat([Buffer.from(`${work}/`), name])
  const swap = () => {
    const aside = at(Buffer.from('aside'))
    renameSync(at(one), aside)
    try {
      renameSync(at(other), at(one))
    } catch {
      renameSync(aside, at(one))
      return
    }
    renameSync(aside, at(other))
  }
  const actions: Record<string, () => void> = {
    create: () => writeFileSync(at(one), 'x'.repeat(random(3) * 5000), { flag: 'wx' }),
    overwrite: () => writeSync(openHeld(held, at(one)), 'y'),
    append: () => writeSync(openHeld(held, at(one)), 'z'.repeat(random(9000)), lstatSync(at(one)).size),
    truncate: () => truncateSync(at(one), random(6000)),
    chmod: () => chmodSync(at(one), random(2) === 0 ? 0o755 : 0o700),
    chown: () => chownSync(at(one), random(3), random(3)),
    utimes: () => utimesSync(at(one), 1, random(3)),
    attribute: () => setAttribute(at(one)),
    link: () => linkSync(at(one), at(other)),
    unlink: () => unlinkSync(at(one)),
    makeDirectory: () => mkdirSync(at(one)),
    makeDirectories: () => mkdirSync(at(Buffer.concat([one, Buffer.from('/b/c')])), { recursive: true }),
    remove: () => rmSync(at(one), { recursive: true }),
    rename: () => renameSync(at(one), at(other)),
    renameAgain: () => renameSync(at(one), at(other)),
    swap,
    symlink: () => symlinkSync(`target-${random(3)}`, at(one)),
    otherSymlink: () => {
      unlinkSync(at(one))
      symlinkSync(`target-${random(3)}`, at(one))
    },
    otherKind: () => {
      const isDirectory = lstatSync(at(one)).isDirectory()
      rmSync(at(one), { recursive: true })
      if (isDirectory) writeFileSync(at(one), 'file')
      else mkdirSync(at(one))
    },
    fifo: () => makeFifo(at(one)),
    deleteOpen: () => {
      openHeld(held, at(one))
      unlinkSync(at(one))
    },
    writeOpen: () => void (held.length > 0 && writeSync(held[random(held.length)] as number, 'more')),
    close: () => closeSync(held.splice(random(held.length), 1)[0] as number),
  }
  const names = Object.keys(actions)
  const name = names[random(names.length)] as string
  try {
    actions[name]?.()
    world.done.add(name)
    log.push(`${name} ${[one, other].map((each) => JSON.stringify(each.toString('latin1'))).join(' ')}`)
  } catch (error) {
    if (error instanceof TypeError && !('code' in error)) throw error
  }
}

const steps = ['a', 'b', 'c', 'd', 'with\nnewline', 'back\\slash', '\xff\xfe', '-name', 'o257-1-0'].map((step) =>
  Buffer.from(step, 'latin1'),
)

/** A path of one to three steps; at the root also names that `btrfs send` invents for files that it moves aside. */
function someName({ work, random, transaction }: World): Buffer {
  if (random(12) === 0) {
    const present = readdirSync(work)
    const number =
      present.length === 0
        ? 257
        : Number(
            lstatSync(join(work, present[random(present.length)] as string), { throwIfNoEntry: false })?.ino ?? 258,
          )
    return Buffer.from(`o${number}-${transaction - random(8)}-0`)
  }
  const path: Buffer[] = []
  for (let depth = random(3); depth >= 0; depth--) {
    if (path.length > 0) path.push(Buffer.from('/'))
    path.push(steps[random(random(2) === 0 ? 3 : steps.length)] as Buffer)
  }
  return Buffer.concat(path)
}

function openHeld(held: number[], path: Buffer): number {
  const file = openSync(path, 'r+')
  held.push(file)
  return file
}

/** setxattr(2) by its number on x86_64, or arm64. */
const setAttributeProgram =
  'use Config; my $number = $Config{archname} =~ /aarch64/ ? 5 : 188; ' +
  'syscall($number, pack("H*", shift), "user.x", rand(), 3, 0) == 0 or die "$!"'

function setAttribute(path: Buffer): void {
  execFileSync('perl', ['-e', setAttributeProgram, path.toString('hex')], { stdio: 'pipe' })
}

function makeFifo(path: Buffer): void {
  execFileSync('xargs', ['-0', 'mkfifo', '--'], { input: path, stdio: 'pipe' })
}

async function makePool() {
  const directory = await mkdtemp(join(tmpdir(), 'threadbox-compared-'))
  const root = join(directory, 'pool')
  const reserves = { imageBytes: 0, memoryImageBytes: 0 }
  const more = { poolSizeBytes: 768 * MiB, keepFreeBytes: 0, reserves, logger }
  const store: DiskStore = await makeBtrfsDiskStore({ installation: 'test00', directory, ...more })
  await store.prepare()
  await store.importImage({ imageId: 'base', build: async (path) => writeFileSync(join(path, 'hello'), 'there') })
  let count = 0
  return {
    store,
    root,
    make: async (diskId: string) => {
      const disk: Disk = await store.createDisk({ diskId, imageId: 'base', limitBytes: 128 * MiB })
      return { disk, freeze: async () => (await store.snapshotDisk({ diskId, snapshotId: `point-${count++}` })).path }
    },
    pointOf: (path: string) => {
      const [diskId = '', , snapshotId = ''] = path.slice(join(root, 'disks/').length).split('/')
      return { diskId, snapshotId }
    },
    async tearDown() {
      await store.close().catch(() => undefined)
      const unmount = () => execFileSync('umount', [root], { stdio: 'pipe' })
      if (readdirSync(root).length > 0) await vi.waitFor(unmount, { timeout: 30_000, interval: 100 })
      await rm(directory, { recursive: true, force: true })
    },
  }
}
