import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { snapshotNotFound } from './disk-store.errors.ts'
import type { Snapshot } from './disk-store.ts'
import { exists, hiddenName, hiddenNames, wholeNames } from './entries.ts'
import type { Volumes } from './volumes.ts'

/**
 * Snapshots of one disk: `snapshots/<snapshotId>/root` beside its `root`. A disk that gets the content of one back has
 * `.next` for the moment in which nothing is called `root`: a start finishes what was begun.
 */
export type DiskSnapshots = {
  /** Of the disk, or of another snapshot. */
  make(snapshotId: string, of?: string): Promise<Snapshot>
  list(): Promise<Snapshot[]>
  find(snapshotId: string): Promise<Snapshot>
  remove(snapshotId: string): Promise<void>
  /** Freezes the disk for as long as the work takes. What a crash leaves of it goes with the next start. */
  whileFrozen<Result>(work: (path: string) => Promise<Result>): Promise<Result>
  /** Gives the disk the content of a snapshot, or of another frozen volume. */
  restore(from: string): Promise<void>
  /** Finishes or removes what a crash left half-made. */
  reclaim(): Promise<void>
  removeAll(): Promise<void>
}

export function makeDiskSnapshots(options: { volumes: Volumes; diskId: string; directory: string }): DiskSnapshots {
  const { volumes, diskId, directory } = options
  const snapshots = join(directory, 'snapshots')
  const [root, next, previous] = ['root', '.next', '.previous'].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ]
  const toSnapshot = (snapshotId: string) => ({ diskId, snapshotId, path: join(snapshots, snapshotId, 'root') })
  const removeEntry = async (entry: string) => {
    await volumes.removeCopy(join(entry, 'root'))
    await rm(entry, { recursive: true, force: true })
  }
  const find = async (snapshotId: string) => {
    const snapshot = toSnapshot(snapshotId)
    if (!(await exists(snapshot.path))) throw snapshotNotFound({ diskId, snapshotId })
    return snapshot
  }
  const removeLeftOvers = async () => {
    for (const name of await hiddenNames(snapshots)) await removeEntry(join(snapshots, name))
    for (const path of [next, previous]) await volumes.removeCopy(path)
  }
  return {
    find,
    make: async (snapshotId, of) => {
      const snapshot = toSnapshot(snapshotId)
      if (await exists(snapshot.path)) return snapshot
      const from = of === undefined ? root : (await find(of)).path
      const hidden = join(snapshots, hiddenName(snapshotId))
      await mkdir(hidden, { recursive: true, mode: 0o700 })
      try {
        await volumes.snapshot({ from, to: join(hidden, 'root') })
        await rename(hidden, join(snapshots, snapshotId))
      } catch (error) {
        await removeEntry(hidden)
        throw error
      }
      return snapshot
    },
    list: async () => (await wholeNames(snapshots)).map(toSnapshot),
    remove: async (snapshotId) => {
      const entry = join(snapshots, snapshotId)
      if (!(await exists(entry))) return
      const hidden = join(snapshots, hiddenName(snapshotId))
      await rename(entry, hidden)
      await removeEntry(hidden)
    },
    whileFrozen: async (work) => {
      const hidden = join(snapshots, hiddenName('passing'))
      const path = join(hidden, 'root')
      await mkdir(snapshots, { recursive: true, mode: 0o700 })
      await mkdir(hidden, { mode: 0o700 })
      try {
        await volumes.snapshot({ from: root, to: path })
        return await work(path)
      } finally {
        await removeEntry(hidden)
      }
    },
    restore: async (from) => {
      await removeLeftOvers()
      await volumes.copyBack({ from, to: next, of: root })
      await volumes.sync(next)
      if (await exists(root)) await rename(root, previous)
      await rename(next, root)
      await volumes.sync(root)
      await volumes.removeCopy(previous)
    },
    reclaim: async () => {
      if (!(await exists(root)) && (await exists(next))) await rename(next, root)
      await removeLeftOvers()
    },
    removeAll: async () => {
      await removeLeftOvers()
      for (const name of await wholeNames(snapshots)) await removeEntry(join(snapshots, name))
    },
  }
}
