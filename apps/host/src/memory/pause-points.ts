import { type DiskStore, snapshotsUnsupported } from '@threadbox/disk-store'
import { isErrorOf } from '@threadbox/errors'
import type { FileChanges } from '@threadbox/protocol/host'
import type { PausePointsStore } from '../state/pause-points.store.ts'
import type { StoredSandbox } from '../state/sandboxes.store.ts'

/** What the disk of each sandbox contained when it was paused or demoted last. One point is kept for each. */
export type PausePoints = {
  /** Makes the disk's content of now the point. Does nothing where the pool can make no snapshots. */
  mark(sandbox: StoredSandbox, options: { snapshotId: string; at: number }): Promise<void>
  /** What differs from the point; `since` is null when there is none. */
  changes(sandbox: StoredSandbox): Promise<FileChanges>
  /** Gives the disk, which was lost, the content of the point; its moment, or undefined when there is none. */
  restore(sandbox: StoredSandbox): Promise<number | undefined>
  /** Whether the disk is as it was at the point, in every file and every directory. */
  isUnchanged(sandbox: StoredSandbox): Promise<boolean>
}

const goneCodes = ['disk.snapshot-not-found', 'disk.not-found']
const noChanges = { removed: [], changed: [], added: [], removedCount: 0, changedCount: 0, addedCount: 0 }

export function makePausePoints(parts: { disks: DiskStore; store: PausePointsStore }): PausePoints {
  const { disks, store } = parts
  const compare = async ({ sandboxId, placeId }: StoredSandbox) => {
    const point = await store.find(sandboxId)
    if (point === undefined) return undefined
    const { snapshotId, at } = point
    try {
      return { since: at, ...(await disks.compareWithSnapshot({ diskId: placeId, snapshotId })) }
    } catch (error) {
      if (goneCodes.some((code) => isErrorOf({ code }, error))) return undefined
      throw error
    }
  }
  return {
    mark: async ({ sandboxId, placeId }, { snapshotId, at }) => {
      try {
        await disks.snapshotDisk({ diskId: placeId, snapshotId })
      } catch (error) {
        if (isErrorOf(snapshotsUnsupported, error)) return
        throw error
      }
      await store.set({ sandboxId, snapshotId, at })
      for (const other of await disks.listSnapshots(placeId)) {
        if (other.snapshotId !== snapshotId) await disks.deleteSnapshot(other)
      }
    },
    changes: async (sandbox) => {
      const found = await compare(sandbox)
      if (found === undefined) return { since: null, ...noChanges }
      const { isSame: _, ...changes } = found
      return changes
    },
    restore: async ({ sandboxId, placeId }) => {
      const point = await store.find(sandboxId)
      if (point === undefined) return undefined
      const { snapshotId, at } = point
      try {
        await disks.restoreSnapshot({ diskId: placeId, snapshotId })
        return at
      } catch (error) {
        if (goneCodes.some((code) => isErrorOf({ code }, error))) return undefined
        throw error
      }
    },
    isUnchanged: async (sandbox) => (await compare(sandbox))?.isSame ?? false,
  }
}
