import type { DiskStore } from '@threadbox/disk-store'
import { isErrorOf } from '@threadbox/errors'
import type { HostSnapshot, TakenSnapshot } from '@threadbox/protocol/host'
import type { Logger } from '@threadbox/telemetry'
import { isAsleep } from '../memory/paused-boots.ts'
import type { BootsStore } from '../state/boots.store.ts'
import type { PausePointsStore } from '../state/pause-points.store.ts'
import type { StoredSandbox } from '../state/sandboxes.store.ts'
import type { SnapshotsStore } from '../state/snapshots.store.ts'
import type { SnapshotsTable } from '../state/state.tables.ts'
import { snapshotIdTaken } from './snapshots.errors.ts'

/**
 * Snapshots of disks that the server asked for: what each contained at a moment. They are read-only, share what did not
 * change, count into the limit of their disk and go with it. The caller sees to it that one thing at a time is done with
 * a sandbox.
 */
export type Snapshots = {
  /**
   * Freezes the disk as it is now, also while the sandbox runs. When nothing was written since the last snapshot that
   * one is the answer (`isNew: false`). Asked again with the same id: the same snapshot.
   */
  take(options: {
    sandbox: StoredSandbox
    snapshotId: string
  }): Promise<Omit<TakenSnapshot, 'usedBytes' | 'limitBytes'>>
  /** Oldest first. */
  list(sandbox: StoredSandbox): Promise<HostSnapshot[]>
  /** One that is gone already, or another sandbox's: nothing happens. */
  remove(options: { sandbox: StoredSandbox; snapshotId: string }): Promise<void>
  /** Which snapshots of a disk belong to the server. */
  idsOf(sandboxId: string): Promise<ReadonlySet<string>>
  /** Removes what a crash left half made or half removed. */
  reclaim(sandboxes: readonly StoredSandbox[]): Promise<void>
}

type SnapshotsParts = {
  disks: DiskStore
  boots: Pick<BootsStore, 'current'>
  store: SnapshotsStore
  pausePoints: Pick<PausePointsStore, 'find'>
  clock: () => number
  logger: Logger
}

export function makeSnapshots(parts: SnapshotsParts): Snapshots {
  const { disks, store } = parts
  const drop = async ({ placeId }: StoredSandbox, snapshotId: string) => {
    await disks.deleteSnapshot({ diskId: placeId, snapshotId })
    await store.remove(snapshotId)
  }
  return {
    take: async ({ sandbox, snapshotId }) => {
      const known = await store.find(snapshotId)
      if (known !== undefined && known.sandboxId !== sandbox.sandboxId) throw snapshotIdTaken({ snapshotId })
      if (known?.phase === 'ready') return { snapshot: present(known), isNew: true, durationMs: 0 }
      // An order that failed half way, and could not be cleared up then.
      if (known !== undefined) await drop(sandbox, snapshotId)
      return await takeSnapshot(parts, { sandbox, snapshotId })
    },
    list: async ({ sandboxId }) => (await store.list(sandboxId)).filter(isReady).map(present),
    remove: async ({ sandbox, snapshotId }) => {
      if ((await store.find(snapshotId))?.sandboxId !== sandbox.sandboxId) return
      await store.markRemoving(snapshotId)
      await drop(sandbox, snapshotId)
    },
    idsOf: async (sandboxId) => new Set((await store.list(sandboxId)).map(({ snapshotId }) => snapshotId)),
    reclaim: async (sandboxes) => {
      const known = new Map(sandboxes.map((sandbox) => [sandbox.sandboxId, sandbox]))
      for (const { sandboxId, snapshotId } of await store.listUnfinished()) {
        const sandbox = known.get(sandboxId)
        if (sandbox !== undefined && !sandbox.isDeleting) await drop(sandbox, snapshotId)
      }
    },
  }
}

async function takeSnapshot(
  parts: SnapshotsParts,
  { sandbox, snapshotId }: { sandbox: StoredSandbox; snapshotId: string },
): Promise<Omit<TakenSnapshot, 'usedBytes' | 'limitBytes'>> {
  const { disks, store, clock } = parts
  const { sandboxId, placeId: diskId } = sandbox
  const startedAt = performance.now()
  const durationMs = () => performance.now() - startedAt
  const last = (await store.list(sandboxId)).filter(isReady).at(-1)
  const paused = await pausePoint(parts, sandbox)
  // The disk of a paused sandbox is not touched: its memory fits its disk as it is, and a snapshot is a change.
  const isChanged = async ({ snapshotId, at }: SnapshotsTable) =>
    paused === undefined ? await hasChanged(parts, { diskId, snapshotId }) : at < paused.at
  if (last !== undefined && !(await isChanged(last))) {
    return { snapshot: present(last), isNew: false, durationMs: durationMs() }
  }
  await store.insert({ snapshotId, sandboxId, at: clock() })
  try {
    await disks.snapshotDisk({ diskId, snapshotId, of: paused?.snapshotId })
    const tookMs = durationMs()
    const written = await disks
      .writtenBytes({ diskId, snapshotId, since: last?.snapshotId })
      .catch((error: unknown) => {
        parts.logger.warn({ error, sandboxId, snapshotId }, 'what a turn wrote cannot be counted')
        return 0
      })
    // A disk never holds more than it may, whatever its files claim.
    await store.finish({ snapshotId, writtenBytes: Math.min(written, sandbox.limits.diskBytes) })
    const made = await store.find(snapshotId)
    parts.logger.info({ sandboxId, snapshotId, tookMs, writtenBytes: made?.writtenBytes }, 'snapshot taken')
    return { snapshot: present(made ?? { snapshotId, at: clock(), writtenBytes: 0 }), isNew: true, durationMs: tookMs }
  } catch (error) {
    await disks.deleteSnapshot({ diskId, snapshotId })
    await store.remove(snapshotId)
    throw error
  }
}

/** A snapshot that is gone says nothing: then the disk counts as changed. */
async function hasChanged(
  { disks }: SnapshotsParts,
  snapshot: { diskId: string; snapshotId: string },
): Promise<boolean> {
  return await disks.mayDifferFromSnapshot(snapshot).catch((error: unknown) => {
    if (isErrorOf({ code: 'disk.snapshot-not-found' }, error)) return true
    throw error
  })
}

/** What the disk of a paused sandbox contains; undefined: the disk itself may be looked at. */
async function pausePoint(parts: SnapshotsParts, { sandboxId }: StoredSandbox) {
  const boot = await parts.boots.current(sandboxId)
  return boot !== undefined && isAsleep(boot) ? await parts.pausePoints.find(sandboxId) : undefined
}

function isReady({ phase }: SnapshotsTable): boolean {
  return phase === 'ready'
}

function present({ snapshotId, at, writtenBytes }: Omit<SnapshotsTable, 'sandboxId' | 'phase'>): HostSnapshot {
  return { snapshotId, at, writtenBytes }
}
