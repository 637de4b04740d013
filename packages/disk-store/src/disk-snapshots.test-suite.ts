import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readdir, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Disk, DiskStore } from './disk-store.ts'
import type { DiskStoreAbilities } from './disk-store-abilities.ts'

const MiB = 1024 * 1024

export type SnapshotSubject = {
  store: DiskStore
  place: { root: string }
  make: (diskId: string) => Promise<Disk>
  /** Opens the store again, as after a crash. */
  reopen: () => Promise<DiskStore>
}

/** The contract of generations, snapshots and memory; part of `describeDiskStore`. */
export function describeSnapshots(options: { abilities: DiskStoreAbilities; subject: () => SnapshotSubject }): void {
  const { abilities, subject } = options

  test('a generation stays the same while nothing is written, also across a start, and changes with every write', async () => {
    const { make, reopen } = subject()
    const disk = await make('generations')
    const first = await subject().store.diskGeneration('generations')
    await readFile(join(disk.path, 'hello'))
    await readdir(disk.path)
    expect(await subject().store.diskGeneration('generations')).toBe(first)
    const store = await reopen()
    expect(await store.diskGeneration('generations')).toBe(first)
    const seen = new Set([first])
    const writes = [
      () => writeFile(join(disk.path, 'new'), 'x'),
      () => writeFile(join(disk.path, 'new'), 'y'),
      () => writeFile(join(disk.path, 'new'), 'z', { flag: 'r+' }),
      () => chmod(join(disk.path, 'new'), 0o600),
      () => rename(join(disk.path, 'new'), join(disk.path, 'renamed')),
      () => rm(join(disk.path, 'renamed')),
    ]
    for (const write of writes) {
      await write()
      seen.add(await store.diskGeneration('generations'))
    }
    expect(seen.size).toBe(writes.length + 1)
  })

  test.skipIf(abilities.makesSnapshots)('if a snapshot would evade the limit, none is created', async () => {
    const { store, make } = subject()
    await make('unsnapped')
    const made = store.snapshotDisk({ diskId: 'unsnapped', snapshotId: 'one' })
    await expect(made).rejects.toMatchObject({ code: 'disk.snapshots-unsupported', kind: 'unsupported' })
    expect(await store.listSnapshots('unsnapped')).toEqual([])
    await store.deleteDisk('unsnapped')
  })

  test('a disk is compared with its image, with and without snapshots', async () => {
    const { store, make } = subject()
    const disk = await make('fresh')
    const image = { diskId: 'fresh', snapshotId: null }
    expect(await store.compareWithSnapshot(image)).toMatchObject({ changedCount: 0, addedCount: 0, removedCount: 0 })
    await writeFile(join(disk.path, 'hello'), 'changed')
    await writeFile(join(disk.path, 'note'), 'new')
    expect(await store.compareWithSnapshot(image)).toMatchObject({
      isSame: false,
      changed: ['hello'],
      added: ['note'],
      removed: [],
      sizes: [
        { name: 'hello', bytesBefore: 14, bytesNow: 7 },
        { name: 'note', bytesBefore: null, bytesNow: 3 },
      ],
    })
    await expect(store.compareWithSnapshot({ diskId: 'nobody', snapshotId: null })).rejects.toMatchObject({
      code: 'disk.not-found',
    })
    await store.deleteDisk('fresh')
  })

  test('unknown disks and snapshots and invalid IDs are rejected; deleting an unknown snapshot does nothing', async () => {
    const { store, make } = subject()
    await expect(store.diskGeneration('nobody')).rejects.toMatchObject({ code: 'disk.not-found' })
    const orphan = { diskId: 'nobody', snapshotId: 'one' }
    await expect(store.snapshotDisk(orphan)).rejects.toMatchObject({ code: 'disk.not-found' })
    await expect(store.listSnapshots('nobody')).rejects.toMatchObject({ code: 'disk.not-found' })
    await store.deleteSnapshot(orphan)
    await make('lonely')
    const missing = { diskId: 'lonely', snapshotId: 'none' }
    await expect(store.compareWithSnapshot(missing)).rejects.toMatchObject({ code: 'disk.snapshot-not-found' })
    await expect(store.restoreSnapshot(missing)).rejects.toMatchObject({ code: 'disk.snapshot-not-found' })
    for (const snapshotId of ['', '..', 'a/b', '.x']) {
      const made = store.snapshotDisk({ diskId: 'lonely', snapshotId })
      await expect(made).rejects.toMatchObject({ code: 'disk.id-invalid' })
    }
    await expect(store.makeMemoryPlace({ diskId: '..', imageId: 'x' })).rejects.toMatchObject({
      code: 'disk.id-invalid',
    })
  })

  describe.skipIf(!abilities.makesSnapshots)('snapshots', () => {
    test('C9: a snapshot keeps the disk’s content despite later writes, and is created once', async () => {
      const { store, make } = subject()
      const disk = await make('snapped')
      await writeFile(join(disk.path, 'note'), 'before')
      const snapshot = await store.snapshotDisk({ diskId: 'snapped', snapshotId: 'one' })
      await writeFile(join(disk.path, 'note'), 'after')
      expect(await store.snapshotDisk({ diskId: 'snapped', snapshotId: 'one' })).toEqual(snapshot)
      expect(await readFile(join(snapshot.path, 'note'), 'utf8')).toBe('before')
      expect(await store.listSnapshots('snapped')).toEqual([snapshot])
      if (abilities.freezesImages) {
        await expect(writeFile(join(snapshot.path, 'note'), 'x')).rejects.toMatchObject({ code: 'EROFS' })
      }
      await store.deleteSnapshot({ diskId: 'snapped', snapshotId: 'one' })
      await store.deleteSnapshot({ diskId: 'snapped', snapshotId: 'one' })
      expect(await store.listSnapshots('snapped')).toEqual([])
      expect(await readFile(join(disk.path, 'note'), 'utf8')).toBe('after')
    })

    test('a disk may differ from its snapshot as soon as something was written, and not before', async () => {
      const { store, make } = subject()
      const disk = await make('watched')
      const at = (name: string) => join(disk.path, name)
      await writeFile(at('note'), 'first')
      const of = (snapshotId: string) => ({ diskId: 'watched', snapshotId })
      await expect(store.mayDifferFromSnapshot(of('none'))).rejects.toMatchObject({ code: 'disk.snapshot-not-found' })
      await store.snapshotDisk(of('one'))
      await readFile(at('note'))
      expect(await store.mayDifferFromSnapshot(of('one'))).toBe(false)
      const writes = [() => writeFile(at('note'), 'other'), () => chmod(at('note'), 0o600), () => rm(at('note'))]
      for (const [index, write] of writes.entries()) {
        await write()
        expect(await store.mayDifferFromSnapshot(of('one')), `write ${index}`).toBe(true)
        await store.snapshotDisk(of(`after${index}`))
        expect(await store.mayDifferFromSnapshot(of(`after${index}`)), `snapshot ${index}`).toBe(false)
      }
    })

    test('a snapshot of a snapshot has its content and does not change the disk', async () => {
      const { store, make } = subject()
      const disk = await make('copied')
      await writeFile(join(disk.path, 'note'), 'then')
      await store.snapshotDisk({ diskId: 'copied', snapshotId: 'point' })
      await writeFile(join(disk.path, 'note'), 'now')
      const generation = await store.diskGeneration('copied')
      const copy = await store.snapshotDisk({ diskId: 'copied', snapshotId: 'copy', of: 'point' })
      expect(await readFile(join(copy.path, 'note'), 'utf8')).toBe('then')
      expect(await store.diskGeneration('copied')).toBe(generation)
      const missing = store.snapshotDisk({ diskId: 'copied', snapshotId: 'other', of: 'none' })
      await expect(missing).rejects.toMatchObject({ code: 'disk.snapshot-not-found' })
      expect(await store.listSnapshots('copied')).toHaveLength(2)
    })

    test('bytes written between two snapshots are counted: at least all of them, and not those written before', async () => {
      const { store, make } = subject()
      const disk = await make('counted')
      await writeFile(join(disk.path, 'early'), randomBytes(3 * MiB))
      await store.snapshotDisk({ diskId: 'counted', snapshotId: 'one' })
      await writeFile(join(disk.path, 'late'), randomBytes(MiB))
      await store.snapshotDisk({ diskId: 'counted', snapshotId: 'two' })
      await store.snapshotDisk({ diskId: 'counted', snapshotId: 'three' })
      const written = (snapshotId: string, since: string | undefined) =>
        store.writtenBytes({ diskId: 'counted', snapshotId, since })
      expect(await written('three', 'two')).toBeLessThan(0.1 * MiB)
      expect(await written('two', 'one')).toBeGreaterThanOrEqual(MiB)
      expect(await written('two', 'one')).toBeLessThan(1.1 * MiB)
      expect(await written('two', undefined)).toBeGreaterThanOrEqual(4 * MiB)
      await expect(written('none', 'one')).rejects.toMatchObject({ code: 'disk.snapshot-not-found' })
    })

    test('a comparison lists removed, changed and added files, including those with a reset modification time', async () => {
      const { store, make } = subject()
      const disk = await make('compared')
      const at = (name: string) => join(disk.path, name)
      await mkdir(at('deep/er'), { recursive: true })
      const names = ['same', 'gone', 'edited', 'moded', 'deep/er/gone', 'moved', 'with\nnewline', 'swapped']
      for (const name of names) await writeFile(at(name), name)
      await symlink('same', at('link'))
      const snapshot = { diskId: 'compared', snapshotId: 'point' }
      await store.snapshotDisk(snapshot)
      expect(await store.compareWithSnapshot(snapshot)).toMatchObject({ isSame: true, changedCount: 0 })
      await rm(at('gone'))
      await rm(at('deep'), { recursive: true })
      await writeFile(at('edited'), 'EDITED')
      await chmod(at('moded'), 0o600)
      await rename(at('moved'), at('new place'))
      await writeFile(at('with\nnewline'), 'x')
      await rm(at('link'))
      await symlink('edited', at('link'))
      const { sizes, ...changes } = await store.compareWithSnapshot(snapshot)
      expect(changes).toEqual({
        isSame: false,
        removed: ['deep', 'deep/er', 'deep/er/gone', 'gone', 'moved'],
        changed: ['edited', 'link', 'moded', 'with\nnewline'],
        added: ['new place'],
        folders: [],
        removedCount: 5,
        changedCount: 4,
        addedCount: 1,
      })
      // Sizes of files, not of directories: before and now.
      expect(sizes.map(({ name, bytesBefore, bytesNow }) => [name, bytesBefore, bytesNow])).toEqual([
        ...[
          ['deep/er/gone', 12, null],
          ['gone', 4, null],
          ['moved', 5, null],
        ],
        ...[
          ['edited', 6, 6],
          ['link', 4, 6],
          ['moded', 5, 5],
          ['with\nnewline', 12, 1],
        ],
        ...[['new place', null, 5]],
      ])
    })

    test('two snapshots are compared without changing the disk and independent of its current content', async () => {
      const { store, make } = subject()
      const disk = await make('twice')
      const then = { diskId: 'twice', snapshotId: 'then' }
      await writeFile(join(disk.path, 'note'), 'one\n')
      await store.snapshotDisk(then)
      await writeFile(join(disk.path, 'note'), 'one\ntwo\n')
      await store.snapshotDisk({ diskId: 'twice', snapshotId: 'later' })
      await writeFile(join(disk.path, 'last'), 'x')
      const generation = await store.diskGeneration('twice')
      expect(await store.compareWithSnapshot({ ...then, of: 'later' })).toMatchObject({
        isSame: false,
        changed: ['note'],
        added: [],
        removed: [],
        sizes: [{ name: 'note', bytesBefore: 4, bytesNow: 8 }],
      })
      const image = { diskId: 'twice', snapshotId: null }
      expect(await store.compareWithSnapshot({ ...image, of: 'later' })).toMatchObject({ added: ['note'] })
      expect(await store.compareWithSnapshot({ ...then, of: 'then' })).toMatchObject({ isSame: true })
      await expect(store.compareWithSnapshot({ ...then, of: 'none' })).rejects.toMatchObject({
        code: 'disk.snapshot-not-found',
      })
      expect(await store.diskGeneration('twice')).toBe(generation)
      await writeFile(join(disk.path, 'note'), '')
      const counted = await store.countChangedLines({ ...then, of: 'later', names: ['note'] })
      expect(counted.get('note')).toEqual({ added: 1, removed: 0 })
    })

    test('C8: files that were only extended since a snapshot are recognized', async () => {
      const { store, make } = subject()
      const disk = await make('extended')
      for (const name of ['log', 'note']) await writeFile(join(disk.path, name), 'one\n')
      const snapshot = { diskId: 'extended', snapshotId: 'then' }
      await store.snapshotDisk(snapshot)
      await writeFile(join(disk.path, 'log'), 'one\ntwo\n')
      await writeFile(join(disk.path, 'note'), 'two\ntwo\n')
      const names = ['log', 'note', 'none']
      expect(await store.findExtendedFiles({ ...snapshot, names })).toEqual(new Map([['log', 4]]))
      await expect(store.findExtendedFiles({ ...snapshot, snapshotId: 'none', names })).rejects.toMatchObject({
        code: 'disk.snapshot-not-found',
      })
    })

    test('a written file with its old time and size restored still counts as changed', async ({ skip }) => {
      if (!abilities.freezesImages) skip('a plain copy cannot keep the time of change')
      const { store, make } = subject()
      const disk = await make('disguised')
      const file = join(disk.path, 'file')
      await writeFile(file, 'one')
      const then = new Date(2020, 1, 1)
      await utimes(file, then, then)
      await store.snapshotDisk({ diskId: 'disguised', snapshotId: 'point' })
      await writeFile(file, 'two')
      await utimes(file, then, then)
      const changes = await store.compareWithSnapshot({ diskId: 'disguised', snapshotId: 'point' })
      expect(changes).toMatchObject({ isSame: false, changed: ['file'] })
    })

    test('a comparison lists 1000 of very many names and counts them all', async () => {
      const { store, make } = subject()
      const disk = await make('many')
      await store.snapshotDisk({ diskId: 'many', snapshotId: 'point' })
      for (let index = 0; index < 1200; index++) await writeFile(join(disk.path, `file-${index}`), '')
      const changes = await store.compareWithSnapshot({ diskId: 'many', snapshotId: 'point' })
      expect(changes.added).toHaveLength(1000)
      expect(changes).toMatchObject({ addedCount: 1200, removedCount: 0, changedCount: 0 })
    })

    test('a disk restored from a snapshot is writable and keeps its limit and the snapshot', async () => {
      const { store, make } = subject()
      const disk = await make('rewound')
      await writeFile(join(disk.path, 'note'), 'before')
      await store.snapshotDisk({ diskId: 'rewound', snapshotId: 'point' })
      await writeFile(join(disk.path, 'note'), 'after')
      await writeFile(join(disk.path, 'later'), 'x')
      const limit = (await store.diskUsage('rewound')).limitBytes
      expect(await store.restoreSnapshot({ diskId: 'rewound', snapshotId: 'point' })).toEqual(disk)
      expect((await readdir(disk.path)).sort()).toEqual(['hello', 'note'])
      expect(await readFile(join(disk.path, 'note'), 'utf8')).toBe('before')
      await writeFile(join(disk.path, 'note'), 'again')
      expect((await store.diskUsage('rewound')).limitBytes).toBe(limit)
      expect((await store.listSnapshots('rewound')).map(({ snapshotId }) => snapshotId)).toEqual(['point'])
    })

    test('a disk is restored from its image and can be compared with it', async () => {
      const { store, make } = subject()
      const disk = await make('emptied')
      await writeFile(join(disk.path, 'note'), 'of mine')
      const image = { diskId: 'emptied', snapshotId: null }
      expect(await store.compareWithSnapshot(image)).toMatchObject({ added: ['note'], isSame: false })
      const limit = (await store.diskUsage('emptied')).limitBytes
      expect(await store.restoreSnapshot(image)).toEqual(disk)
      expect(await store.compareWithSnapshot(image)).toMatchObject({ removedCount: 0, changedCount: 0, addedCount: 0 })
      await writeFile(join(disk.path, 'hello'), 'again')
      expect((await store.diskUsage('emptied')).limitBytes).toBe(limit)
    })

    test('C6: a disk with lost content is not found, is not replaced by an empty one, and can be restored', async () => {
      const { store, make, reopen } = subject()
      const disk = await make('lost')
      await writeFile(join(disk.path, 'note'), 'kept')
      await store.snapshotDisk({ diskId: 'lost', snapshotId: 'point' })
      remove(disk.path)
      const reopened = await reopen()
      for (const ask of [() => reopened.getDisk('lost'), () => make('lost'), () => reopened.diskUsage('lost')]) {
        await expect(ask()).rejects.toMatchObject({ code: 'disk.not-found' })
      }
      await reopened.restoreSnapshot({ diskId: 'lost', snapshotId: 'point' })
      expect(await readFile(join((await reopened.getDisk('lost')).path, 'note'), 'utf8')).toBe('kept')
      expect((await reopened.diskUsage('lost')).limitBytes).toBe(64 * MiB)
    })

    test('an interrupted restore of a snapshot is finished or undone by the next start', async () => {
      const { store, make, place, reopen } = subject()
      for (const [diskId, expected] of [
        ['half-made', 'after'],
        ['half-swapped', 'before'],
      ] as const) {
        const disk = await make(diskId)
        await writeFile(join(disk.path, 'note'), 'before')
        const snapshot = await store.snapshotDisk({ diskId, snapshotId: 'point' })
        await writeFile(join(disk.path, 'note'), 'after')
        const directory = join(place.root, 'disks', diskId)
        copy({ from: snapshot.path, to: join(directory, '.next') })
        if (diskId === 'half-swapped') await rename(disk.path, join(directory, '.previous'))
        await reopen()
        expect(await readFile(join(disk.path, 'note'), 'utf8')).toBe(expected)
        expect((await readdir(directory)).filter((name) => name.startsWith('.'))).toEqual([])
      }
    })

    test('C10: deleting a disk deletes its snapshots and its saved memory', async () => {
      const { store, make, place } = subject()
      await make('whole')
      for (const snapshotId of ['one', 'two']) await store.snapshotDisk({ diskId: 'whole', snapshotId })
      await store.makeMemoryPlace({ diskId: 'whole', imageId: 'memory' })
      await store.deleteDisk('whole')
      expect(await readdir(join(place.root, 'disks'))).not.toContain('whole')
      expect((await store.listMemoryPlaces()).filter(({ diskId }) => diskId === 'whole')).toEqual([])
      const again = await make('whole')
      expect(await readdir(again.path)).toEqual(['hello'])
      expect(await store.listSnapshots('whole')).toEqual([])
    })

    test.skipIf(!abilities.enforcesLimits)(
      'what only a snapshot still holds counts into its disk’s limit',
      async () => {
        const { store, make } = subject()
        const disk = await make('hoarder')
        fill({ path: join(disk.path, 'data'), mebibytes: 40 })
        await store.snapshotDisk({ diskId: 'hoarder', snapshotId: 'point' })
        await rm(join(disk.path, 'data'))
        await store.syncDisk('hoarder')
        expect((await store.diskUsage('hoarder')).usedBytes).toBeGreaterThan(39 * MiB)
        expect(() => fill({ path: join(disk.path, 'more'), mebibytes: 40 })).toThrow(/quota exceeded|No space left/i)
        await store.deleteSnapshot({ diskId: 'hoarder', snapshotId: 'point' })
        await expect
          .poll(async () => (await store.diskUsage('hoarder')).usedBytes, { timeout: 60_000 })
          .toBeLessThan(30 * MiB)
      },
    )
  })

  test('saved memory has its own directory outside of the disk’s limit, is counted and can be removed', async () => {
    const { store, make, reopen } = subject()
    await make('thinker')
    const place = await store.makeMemoryPlace({ diskId: 'thinker', imageId: 'first' })
    expect(await store.makeMemoryPlace({ diskId: 'thinker', imageId: 'first' })).toEqual(place)
    fill({ path: join(place.path, 'pages'), mebibytes: 16 })
    await store.syncMemoryPlace(place)
    expect(await store.listMemoryPlaces()).toEqual([place])
    expect((await store.poolUsage()).memoryBytes).toBeGreaterThanOrEqual(16 * MiB)
    expect((await store.diskUsage('thinker')).usedBytes).toBeLessThan(MiB)
    const reopened = await reopen()
    expect(await reopened.listMemoryPlaces()).toEqual([place])
    await reopened.deleteMemoryPlace(place)
    await reopened.deleteMemoryPlace(place)
    expect(await reopened.listMemoryPlaces()).toEqual([])
    expect((await reopened.poolUsage()).memoryBytes).toBe(0)
  })
}

/** Copies as the store does: a volume if the store uses volumes. */
function copy(options: { from: string; to: string }): void {
  try {
    execFileSync('btrfs', ['subvolume', 'snapshot', options.from, options.to], { stdio: 'pipe' })
  } catch {
    execFileSync('cp', ['--archive', options.from, options.to])
    execFileSync('chmod', ['755', options.to])
  }
}

function remove(path: string): void {
  try {
    execFileSync('btrfs', ['subvolume', 'delete', path], { stdio: 'pipe' })
  } catch {
    execFileSync('rm', ['-r', path])
  }
}

/** Writes bytes that do not compress, and waits until they are on the disk. */
function fill(options: { path: string; mebibytes: number }): void {
  const { path, mebibytes } = options
  execFileSync('dd', ['if=/dev/urandom', `of=${path}`, 'bs=1M', `count=${mebibytes}`, 'conv=fsync', 'status=none'], {
    stdio: 'pipe',
  })
}
