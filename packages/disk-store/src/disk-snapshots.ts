import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '@threadbox/telemetry'
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
  /** From here on it is gone, for a start too. What this resolves to removes what it held, which takes longer. */
  hide(snapshotId: string): Promise<() => Promise<void>>
  /**
   * Freezes the disk for as long as the work takes. What cannot be removed afterwards, or is left by a crash, goes with
   * the next such work, return or start. One at a time.
   */
  whileFrozen<Result>(work: (path: string) => Promise<Result>): Promise<Result>
  /** Gives the disk the content of a snapshot, or of another frozen volume. */
  restore(from: string): Promise<void>
  /** Finishes or removes what a crash left half-made. */
  reclaim(): Promise<void>
}

export function makeDiskSnapshots(options: {
  volumes: Volumes
  diskId: string
  directory: string
  logger: Logger
}): DiskSnapshots {
  const { volumes, diskId, directory, logger } = options
  const snapshots = join(directory, 'snapshots')
  const [next, previous] = copyNames.map((name) => join(directory, name)) as [string, string]
  const root = join(directory, 'root')
  const toSnapshot = (snapshotId: string) => ({ diskId, snapshotId, path: join(snapshots, snapshotId, 'root') })
  const removeEntry = (entry: string) => removeEntryOf(volumes, entry)
  const find = async (snapshotId: string) => {
    const snapshot = toSnapshot(snapshotId)
    if (!(await exists(snapshot.path))) throw snapshotNotFound({ diskId, snapshotId })
    return snapshot
  }
  /** Nobody misses it, and it is tried again: what was found out with it, or is to begin now, goes on without. */
  const removePassing = async (entry: string) => {
    await removeEntry(entry).catch((error: unknown) =>
      logger.warn({ err: error, diskId, entry }, 'a snapshot that a disk was compared by is still there'),
    )
  }
  const removeLeftOvers = async () => {
    for (const name of await hiddenNames(snapshots)) {
      const remove = isPassing(name) ? removePassing : removeEntry
      await remove(join(snapshots, name))
    }
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
    hide: async (snapshotId) => {
      const entry = join(snapshots, snapshotId)
      if (!(await exists(entry))) return async () => undefined
      const hidden = join(snapshots, hiddenName(snapshotId))
      await rename(entry, hidden)
      return () => removeEntry(hidden)
    },
    whileFrozen: async (work) => {
      const earlier = (await hiddenNames(snapshots)).filter(isPassing)
      for (const name of earlier) await removePassing(join(snapshots, name))
      const hidden = join(snapshots, hiddenName(passing))
      const path = join(hidden, 'root')
      await mkdir(snapshots, { recursive: true, mode: 0o700 })
      await mkdir(hidden, { mode: 0o700 })
      try {
        await volumes.snapshot({ from: root, to: path })
        return await work(path)
      } finally {
        await removePassing(hidden)
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
  }
}

/** Of a disk that goes, in this directory, with what is half-made. */
export async function removeAllSnapshots({
  volumes,
  directory,
}: {
  volumes: Volumes
  directory: string
}): Promise<void> {
  const snapshots = join(directory, 'snapshots')
  const names = [...(await hiddenNames(snapshots)), ...(await wholeNames(snapshots))]
  for (const name of names) await removeEntryOf(volumes, join(snapshots, name))
  for (const name of copyNames) await volumes.removeCopy(join(directory, name))
}

async function removeEntryOf(volumes: Volumes, entry: string): Promise<void> {
  await volumes.removeCopy(join(entry, 'root'))
  await rm(entry, { recursive: true, force: true })
}

/** What a return to a snapshot makes beside the disk. */
const copyNames = ['.next', '.previous'] as const

const passing = 'passing'

/** Whether a hidden name is that of a snapshot which a disk was compared by. */
function isPassing(name: string): boolean {
  return name.startsWith(`.${passing}~`)
}
