import { makeKeyedLock } from '@threadbox/concurrency'
import { type DiskStore, snapshotsUnsupported, tooManyFiles } from '@threadbox/disk-store'
import { isErrorOf } from '@threadbox/errors'
import { type FileChanges, noFileChanges } from '@threadbox/protocol/host'
import type { Logger } from '@threadbox/telemetry'
import { naming } from '../../machine/state/disk-naming.ts'
import type { PausePointsStore } from '../../machine/state/pause-points.store.ts'
import type { StoredSandbox } from '../../machine/state/sandboxes.store.ts'

/** The disk content of each sandbox at its last pause or demotion. One point is kept for each. */
export type PausePoints = {
  /**
   * Makes the current disk content the point. Does nothing if the pool cannot make snapshots. The sandbox is frozen for
   * it, so it waits neither for a comparison with an earlier point nor for the removal of one.
   */
  mark(sandbox: StoredSandbox, options: { snapshotId: string; at: number }): Promise<void>
  /** Does the same as `mark`, after the content was exchanged: if no point can be made, the old one is dropped. */
  replace(sandbox: StoredSandbox, options: { snapshotId: string; at: number }): Promise<void>
  /** Removes earlier points in the background: what a crash leaves of them is removed with the next. */
  dropEarlier(sandbox: StoredSandbox): void
  /** Removes every point: only the current content of the disk is known. */
  forget(sandbox: StoredSandbox): Promise<void>
  /** Resolves when no earlier point is being removed. */
  dropped(): Promise<void>
  /** Returns what differs from the point; `since` is null without a point. */
  changes(sandbox: StoredSandbox): Promise<FileChanges>
  /** Path of the point's content; undefined without a point. */
  pathOf(sandbox: StoredSandbox): Promise<string | undefined>
  /** Restores a lost disk to the content of the point; returns the point's time, or undefined without a point. */
  restore(sandbox: StoredSandbox): Promise<number | undefined>
  /**
   * Tells whether every file and every directory on the disk is as it was at the point. A disk with too many files
   * counts as changed.
   */
  isUnchanged(sandbox: StoredSandbox): Promise<boolean>
}

const isGone = (error: unknown) =>
  ['disk.snapshot-not-found', 'disk.not-found'].some((code) => isErrorOf({ code }, error))

type PausePointsPorts = {
  disks: DiskStore
  store: PausePointsStore
  /** Snapshots of a sandbox that are not points and stay. */
  keptSnapshots: (sandboxId: string) => Promise<ReadonlySet<string>>
  logger: Logger
}

export function makePausePoints(ports: PausePointsPorts): PausePoints {
  const { disks, store, logger } = ports
  const dropping = makeKeyedLock()
  const marking = makeMarking()
  const dropOthers = (sandbox: SandboxPlace) => dropOtherPoints({ ...ports, marking }, sandbox)
  const compare = async ({ sandboxId, placeId }: StoredSandbox) => {
    const point = await store.find(sandboxId)
    if (point === undefined) return undefined
    const { snapshotId, at } = point
    try {
      return { since: at, snapshotId, ...(await disks.compareWithSnapshot({ diskId: placeId, snapshotId, naming })) }
    } catch (error) {
      if (isGone(error)) return undefined
      // Paused again in the meantime: that point was removed during the comparison.
      if ((await store.find(sandboxId))?.snapshotId !== snapshotId) return undefined
      throw error
    }
  }
  const mark: PausePoints['mark'] = async ({ sandboxId, placeId }, { snapshotId, at }) => {
    using _marked = marking.announce(sandboxId, snapshotId)
    try {
      await disks.snapshotDisk({ diskId: placeId, snapshotId })
    } catch (error) {
      if (isErrorOf(snapshotsUnsupported, error)) return
      throw error
    }
    await store.set({ sandboxId, snapshotId, at })
  }
  return {
    mark,
    replace: async (sandbox, options) => {
      try {
        await mark(sandbox, options)
      } catch (error) {
        logger.warn(
          { err: error, sandboxId: sandbox.sandboxId },
          'no pause point could be made of a disk that was exchanged',
        )
        await store.remove(sandbox.sandboxId)
      }
    },
    dropEarlier: ({ sandboxId, placeId }) => {
      dropping(sandboxId, () => dropOthers({ sandboxId, placeId })).catch((error: unknown) =>
        logger.warn({ err: error, sandboxId }, 'an earlier point of a pause is still there'),
      )
    },
    forget: async (sandbox) => {
      await dropping.settled(sandbox.sandboxId)
      await store.remove(sandbox.sandboxId)
      await dropOthers(sandbox)
    },
    dropped: () => dropping.settled(),
    changes: async (sandbox) => {
      const found = await compare(sandbox)
      if (found === undefined) return { since: null, ...noFileChanges }
      const { isSame: _, sizes: __, snapshotId, ...changes } = found
      const names = changes.changed.toSorted((one, other) => naming.rankOf(one) - naming.rankOf(other))
      // Paused again in the meantime: the content of that point is unknown.
      const extended = await disks
        .findExtendedFiles({ diskId: sandbox.placeId, snapshotId, names })
        .catch((error: unknown) => {
          if (isGone(error)) return new Map<string, number>()
          throw error
        })
      return { ...changes, extended: [...extended].map(([name, addedBytes]) => ({ name, addedBytes })) }
    },
    pathOf: async ({ sandboxId, placeId }) => {
      const point = await store.find(sandboxId)
      const snapshots = point === undefined ? [] : await disks.listSnapshots(placeId)
      return snapshots.find(({ snapshotId }) => snapshotId === point?.snapshotId)?.path
    },
    restore: async ({ sandboxId, placeId }) => {
      const point = await store.find(sandboxId)
      if (point === undefined) return undefined
      const { snapshotId, at } = point
      try {
        await disks.restoreSnapshot({ diskId: placeId, snapshotId })
        return at
      } catch (error) {
        if (isGone(error)) return undefined
        throw error
      }
    },
    isUnchanged: async (sandbox) => {
      try {
        return (await compare(sandbox))?.isSame ?? false
      } catch (error) {
        if (isErrorOf(tooManyFiles, error)) return false
        throw error
      }
    },
  }
}

type SandboxPlace = Pick<StoredSandbox, 'sandboxId' | 'placeId'>
type Marking = ReturnType<typeof makeMarking>

/** Snapshots that are about to become the point of a sandbox. */
function makeMarking() {
  const announced = new Map<string, Set<string>>()
  return {
    announce: (sandboxId: string, snapshotId: string): Disposable => {
      const ofSandbox = announced.get(sandboxId) ?? new Set()
      announced.set(sandboxId, ofSandbox.add(snapshotId))
      const withdraw = () => {
        ofSandbox.delete(snapshotId)
        if (ofSandbox.size === 0) announced.delete(sandboxId)
      }
      return { [Symbol.dispose]: withdraw }
    },
    of: (sandboxId: string): string[] => [...(announced.get(sandboxId) ?? [])],
  }
}

async function dropOtherPoints(
  { disks, store, keptSnapshots, marking }: PausePointsPorts & { marking: Marking },
  { sandboxId, placeId }: SandboxPlace,
): Promise<void> {
  const present = await disks.listSnapshots(placeId)
  // In this order: a snapshot made before the list is either announced here or has become the point; one that is
  // neither was announced as kept before it was made.
  const staying = new Set(marking.of(sandboxId))
  const point = await store.find(sandboxId)
  const kept = await keptSnapshots(sandboxId)
  for (const snapshot of present) {
    const { snapshotId } = snapshot
    const isOther = snapshotId !== point?.snapshotId && !staying.has(snapshotId) && !kept.has(snapshotId)
    if (isOther) await disks.deleteSnapshot(snapshot)
  }
}
