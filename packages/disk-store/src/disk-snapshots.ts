import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '@threadbox/telemetry'
import { snapshotNotFound } from './disk-store.errors.ts'
import type { Snapshot } from './disk-store.ts'
import { exists, hiddenName, hiddenNames, hideEntry, wholeNames } from './entries.ts'
import type { Volumes } from './volumes.ts'

/**
 * Snapshots of one disk: `snapshots/<snapshotId>/root` beside its `root`. While a disk is being restored it has `.next`
 * for the moment in which nothing is named `root`: the next start finishes the restore.
 */
export type DiskSnapshots = {
  /** Creates a snapshot of the disk or of another snapshot. */
  make(snapshotId: string, of?: string): Promise<Snapshot>
  list(): Promise<Snapshot[]>
  find(snapshotId: string): Promise<Snapshot>
  /** Hides a snapshot, also from the next start. The returned function removes its content, which takes longer. */
  hide(snapshotId: string): Promise<() => Promise<void>>
  /**
   * Freezes the disk’s content while `work` runs. If the frozen copy cannot be removed afterwards, or a crash leaves
   * it, the next `whileFrozen`, restore or start removes it. One at a time.
   */
  whileFrozen<Result>(work: (path: string) => Promise<Result>): Promise<Result>
  /** Restores the disk from a snapshot or another frozen volume. */
  restore(from: string): Promise<void>
  /** Finishes or removes what a crash left incomplete. */
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
  /** A failure does not stop the caller: nothing needs the temporary snapshot, and its removal is retried later. */
  const deleteTemporarySnapshot = async (entry: string) => {
    await removeEntry(entry).catch((error: unknown) =>
      logger.warn({ err: error, diskId, entry }, 'a snapshot that a disk was compared by is still there'),
    )
  }
  const removeLeftOvers = async () => {
    for (const name of await hiddenNames(snapshots)) {
      const remove = isTemporaryName(name) ? deleteTemporarySnapshot : removeEntry
      await remove(join(snapshots, name))
    }
    for (const path of [next, previous]) await volumes.removeKeepingLimit(path)
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
      const hidden = await hideEntry(entry)
      return () => removeEntry(hidden)
    },
    whileFrozen: async (work) => {
      const earlier = (await hiddenNames(snapshots)).filter(isTemporaryName)
      for (const name of earlier) await deleteTemporarySnapshot(join(snapshots, name))
      const hidden = join(snapshots, hiddenName(temporaryName))
      const path = join(hidden, 'root')
      await mkdir(snapshots, { recursive: true, mode: 0o700 })
      await mkdir(hidden, { mode: 0o700 })
      try {
        await volumes.snapshot({ from: root, to: path })
        return await work(path)
      } finally {
        await deleteTemporarySnapshot(hidden)
      }
    },
    restore: async (from) => {
      await removeLeftOvers()
      await volumes.copyBack({ from, to: next, of: root })
      await volumes.sync(next)
      if (await exists(root)) await rename(root, previous)
      await rename(next, root)
      await volumes.sync(root)
      await volumes.removeKeepingLimit(previous)
    },
    reclaim: async () => {
      if (!(await exists(root)) && (await exists(next))) await rename(next, root)
      await removeLeftOvers()
    },
  }
}

/** Removes all snapshots of a disk that is being deleted, including incomplete ones. */
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
  for (const name of copyNames) await volumes.removeKeepingLimit(join(directory, name))
}

async function removeEntryOf(volumes: Volumes, entry: string): Promise<void> {
  await volumes.removeKeepingLimit(join(entry, 'root'))
  await rm(entry, { recursive: true, force: true })
}

/** The names that a restore uses beside the disk. */
const copyNames = ['.next', '.previous'] as const

const temporaryName = 'passing'

/** Whether a hidden name belongs to a temporary snapshot for a comparison. */
function isTemporaryName(name: string): boolean {
  return name.startsWith(`.${temporaryName}~`)
}
