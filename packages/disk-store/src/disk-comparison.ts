import { constants } from 'node:os'
import type { KeyedLock } from '@threadbox/concurrency'
import { isErrorOf } from '@threadbox/errors'
import type { Logger } from '@threadbox/telemetry'
import type { DiskSnapshots } from './disk-snapshots.ts'
import { noRoomForSnapshot, snapshotsUnsupported } from './disk-store.errors.ts'
import type { Disk, DiskChanges, DiskNaming, DiskStore } from './disk-store.ts'
import { checkId } from './entries.ts'
import { compareTrees } from './tree-comparison.ts'
import { allNames } from './tree-difference.logic.ts'
import type { Volumes } from './volumes.ts'

type DiskComparisonDependencies = {
  volumes: Volumes
  lock: KeyedLock
  getDisk: (diskId: string) => Promise<Disk>
  /** The path of a snapshot of the disk, or of its image. */
  frozenPath: (disk: Disk, snapshotId: string | null) => Promise<string>
  snapshotsOf: (diskId: string) => DiskSnapshots
  logger: Logger
}

const nothingDiffers: DiskChanges = {
  isSame: true,
  removed: [],
  changed: [],
  added: [],
  sizes: [],
  folders: [],
  removedCount: 0,
  changedCount: 0,
  addedCount: 0,
}

/** If the quick comparison fails for any reason, both trees are read completely, which is always right. */
export function makeDiskComparison(
  dependencies: DiskComparisonDependencies,
): Pick<DiskStore, 'compareWithSnapshot' | 'namesBesideImage'> {
  const { volumes, lock, getDisk, frozenPath, snapshotsOf, logger } = dependencies
  /** Compares the current content of the disk; undefined if it cannot be frozen. */
  const compareNow = (diskId: string, compare: (after: string) => Promise<DiskChanges | undefined>) =>
    snapshotsOf(diskId)
      .whileFrozen(compare)
      .catch((error: unknown) => {
        if (!hasNoRoom(error)) logger.warn({ err: error, diskId }, 'a disk is compared by reading it whole')
        return undefined
      })
  const compareWithSnapshot: DiskStore['compareWithSnapshot'] = async ({ diskId, snapshotId, of, naming }) => {
    const { compareFrozen } = volumes
    const pathsOf = async () => {
      const disk = await getDisk(diskId)
      const after = of === undefined ? undefined : await frozenPath(disk, checkId(of))
      return { disk, before: await frozenPath(disk, snapshotId), after }
    }
    // Holds the snapshots: none is removed during the comparison. Others can be created, because sandboxes are frozen
    // while they wait for one.
    const quickly = await lock(`snapshots ${checkId(diskId)}`, async () => {
      const { before, after: other } = await pathsOf()
      if (compareFrozen === undefined) return undefined
      // btrfs cannot compare a volume with itself.
      if (other === before) return nothingDiffers
      if (other !== undefined) return await compareFrozen({ before, after: other, naming })
      return await compareNow(diskId, (after) => compareFrozen({ before, after, naming }))
    })
    if (quickly !== undefined) return quickly
    const { disk, before, after = disk.path } = await pathsOf()
    return await compareTrees({ before, after, naming, comparesInodes: volumes.keepsInodes })
  }
  const namesBesideImage: DiskStore['namesBesideImage'] = async (diskId) => {
    const { compareFrozen } = volumes
    if (compareFrozen === undefined) return undefined
    const names: string[] = []
    // `isLeftOut` is called for each name that differs.
    const naming: DiskNaming = { ...allNames, isLeftOut: (name) => names.push(name) > 0 }
    const compared = await lock(`snapshots ${checkId(diskId)}`, async () => {
      const before = await frozenPath(await getDisk(diskId), null)
      return await compareNow(diskId, (after) => compareFrozen({ before, after, naming }))
    })
    return compared === undefined ? undefined : names
  }
  return { compareWithSnapshot, namesBesideImage }
}

/** Snapshots are unsupported, or the pool has no space even for their directory. */
function hasNoRoom(error: unknown): boolean {
  if (isErrorOf(snapshotsUnsupported, error) || isErrorOf(noRoomForSnapshot, error)) return true
  // Node has no name for EDQUOT.
  const { errno = 0 } = error as NodeJS.ErrnoException
  return [constants.errno.ENOSPC, constants.errno.EDQUOT].includes(-errno)
}
