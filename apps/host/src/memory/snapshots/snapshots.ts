import type { DiskStore } from '@threadbox/disk-store'
import { isErrorOf } from '@threadbox/errors'
import type { HostSnapshot, SnapshotMemoryOrder, TakenSnapshot } from '@threadbox/protocol/host'
import type { Logger } from '@threadbox/telemetry'
import type { BootsStore } from '../../machine/state/boots.store.ts'
import type { PausePointsStore } from '../../machine/state/pause-points.store.ts'
import type { StoredSandbox } from '../../machine/state/sandboxes.store.ts'
import type { SnapshotsStore } from '../../machine/state/snapshots.store.ts'
import type { SnapshotsTable } from '../../machine/state/state.tables.ts'
import { isBootAsleep } from '../memory/paused-boots.ts'
import type { MemoryPlan, SnapshotMemories } from './snapshot-memories.ts'
import { snapshotIdTaken } from './snapshots.errors.ts'

/**
 * Snapshots of disks that the server requested. They are read-only, share unchanged data, count against their disk's
 * limit and are deleted with it. The caller ensures that only one operation at a time runs on a sandbox.
 */
export type Snapshots = {
  /**
   * Freezes the current disk, also while the sandbox runs. If nothing was written since the last snapshot, returns that
   * one (`isNew: false`), unless memory is saved with it, which can have changed all the same, or that one has memory
   * that is not to be shared. Called again with the same id, it returns the same snapshot.
   */
  take(options: WantedSnapshot): Promise<SnapshotResult>
  /** Oldest first. */
  list(sandbox: StoredSandbox): Promise<HostSnapshot[]>
  /** Does nothing if it is already gone or belongs to another sandbox. */
  remove(options: { sandbox: StoredSandbox; snapshotId: string }): Promise<void>
  /** Discards the memory of a snapshot, which stays. */
  removeMemory(options: { sandbox: StoredSandbox; snapshotId: string }): Promise<void>
  /**
   * Returns a snapshot with the disk's current content: for a paused sandbox that of its pause, otherwise the newest,
   * if nothing was written since. Undefined: the disk itself has to be read, and can be.
   */
  ofPresent(sandbox: StoredSandbox): Promise<string | undefined>
  /** Ids of a disk's snapshots that belong to the server. */
  idsOf(sandboxId: string): Promise<ReadonlySet<string>>
  /** Removes what a crash left half made or half removed. */
  reclaim(sandboxes: readonly StoredSandbox[]): Promise<void>
}

type WantedSnapshot = {
  sandbox: StoredSandbox
  snapshotId: string
  memory: SnapshotMemoryOrder
  sharesMemory: boolean
}
type SnapshotResult = Omit<TakenSnapshot, 'usedBytes' | 'limitBytes'>

type SnapshotsPorts = {
  disks: DiskStore
  memories: SnapshotMemories
  boots: Pick<BootsStore, 'current'>
  store: SnapshotsStore
  pausePoints: Pick<PausePointsStore, 'find'>
  clock: () => number
  logger: Logger
}

export function makeSnapshots(ports: SnapshotsPorts): Snapshots {
  const { disks, store, memories } = ports
  const drop = async (sandbox: StoredSandbox, snapshotId: string) => {
    const { placeId } = sandbox
    // First: memory without its disk is worthless.
    await memories.remove(sandbox, snapshotId)
    await disks.deleteSnapshot({ diskId: placeId, snapshotId })
    await store.remove(snapshotId)
  }
  return {
    take: async (wanted) => {
      const { sandbox, snapshotId } = wanted
      const known = await store.find(snapshotId)
      if (known !== undefined && known.sandboxId !== sandbox.sandboxId) throw snapshotIdTaken({ snapshotId })
      if (known?.phase === 'ready') return await describe(ports, known, { isNew: true })
      // An order that failed half way, and could not be cleaned up at that point.
      if (known !== undefined) await drop(sandbox, snapshotId)
      return await takeSnapshot(ports, wanted)
    },
    list: async ({ sandboxId }) => {
      const sizes = await memories.sizes(sandboxId)
      return (await store.list(sandboxId)).filter(isReady).map((row) => present(row, sizes))
    },
    remove: async ({ sandbox, snapshotId }) => {
      if ((await store.find(snapshotId))?.sandboxId !== sandbox.sandboxId) return
      await store.markRemoving(snapshotId)
      await drop(sandbox, snapshotId)
    },
    removeMemory: ({ sandbox, snapshotId }) => memories.remove(sandbox, snapshotId),
    ofPresent: async (sandbox) => {
      const paused = await pausePoint(ports, sandbox)
      if (paused !== undefined) return paused.snapshotId
      const last = await newestOf(ports, sandbox)
      if (last === undefined) return undefined
      const { snapshotId } = last
      return (await hasChanged(ports, { diskId: sandbox.placeId, snapshotId })) ? undefined : snapshotId
    },
    idsOf: async (sandboxId) => new Set((await store.list(sandboxId)).map(({ snapshotId }) => snapshotId)),
    reclaim: async (sandboxes) => {
      await memories.reclaim(sandboxes)
      const known = new Map(sandboxes.map((sandbox) => [sandbox.sandboxId, sandbox]))
      for (const { sandboxId, snapshotId } of await store.listUnfinished()) {
        const sandbox = known.get(sandboxId)
        if (sandbox !== undefined && !sandbox.isDeleting) await drop(sandbox, snapshotId)
      }
    },
  }
}

async function takeSnapshot(
  ports: SnapshotsPorts,
  { sandbox, snapshotId, memory, sharesMemory }: WantedSnapshot,
): Promise<SnapshotResult> {
  const { disks, store, memories, clock } = ports
  const { sandboxId, placeId: diskId } = sandbox
  const startedAt = performance.now()
  const plan = memory === null ? undefined : await memories.plan({ sandbox, maxBytes: memory.maxBytes })
  const last = await newestOf(ports, sandbox)
  const paused = await pausePoint(ports, sandbox)
  // The disk of a paused sandbox is not touched: its memory fits its disk exactly as it is, and a snapshot is a change.
  const isChanged = async ({ snapshotId, at }: SnapshotsTable) =>
    paused === undefined ? await hasChanged(ports, { diskId, snapshotId }) : at < paused.at
  if (last !== undefined && (await mayShare(ports, { last, plan, sharesMemory })) && !(await isChanged(last))) {
    const problem = plan?.of === 'nothing' ? plan.problem : null
    return await describe(ports, last, {
      isNew: false,
      memoryProblem: problem,
      durationMs: performance.now() - startedAt,
    })
  }
  await store.insert({ snapshotId, sandboxId, at: clock() })
  try {
    const snapshot = async () => void (await disks.snapshotDisk({ diskId, snapshotId, of: paused?.snapshotId }))
    const saved = plan && (await memories.saveWith({ sandbox, snapshotId, plan, snapshot }))
    if (saved === undefined) await snapshot()
    const durationMs = performance.now() - startedAt
    const written = await disks
      .writtenBytes({ diskId, snapshotId, since: last?.snapshotId })
      .catch((error: unknown) => {
        ports.logger.warn({ err: error, sandboxId, snapshotId }, 'what a turn wrote cannot be counted')
        return 0
      })
    // A disk never holds more than its limit, whatever its files claim.
    const writtenBytes = Math.min(written, sandbox.limits.diskBytes)
    await store.finish({ snapshotId, writtenBytes })
    ports.logger.info({ sandboxId, snapshotId, durationMs, writtenBytes, ...saved }, 'snapshot taken')
    const made = (await store.find(snapshotId)) ?? { snapshotId, sandboxId, at: clock(), writtenBytes }
    const { problem: memoryProblem = null, stallMs = 0 } = saved ?? {}
    return await describe(ports, made, { isNew: true, memoryProblem, stallMs, durationMs })
  } catch (error) {
    await memories.remove(sandbox, snapshotId)
    await disks.deleteSnapshot({ diskId, snapshotId })
    await store.remove(snapshotId)
    throw error
  }
}

/** False if memory is to be saved, or if the last snapshot has memory that may be of another state. */
async function mayShare(
  { memories }: SnapshotsPorts,
  { last, plan, sharesMemory }: { last: SnapshotsTable; plan: MemoryPlan | undefined; sharesMemory: boolean },
): Promise<boolean> {
  if (plan === undefined && sharesMemory) return true
  if (plan !== undefined && plan.of !== 'nothing') return false
  return !(await memories.sizes(last.sandboxId)).has(last.snapshotId)
}

async function describe(
  { memories }: SnapshotsPorts,
  row: PresentedSnapshot,
  known: Partial<SnapshotResult> & { isNew: boolean },
): Promise<SnapshotResult> {
  const snapshot = present(row, await memories.sizes(row.sandboxId))
  return { memoryProblem: null, stallMs: 0, durationMs: 0, ...known, snapshot }
}

async function newestOf({ store }: SnapshotsPorts, { sandboxId }: StoredSandbox): Promise<SnapshotsTable | undefined> {
  return (await store.list(sandboxId)).filter(isReady).at(-1)
}

/** A missing snapshot shows nothing: the disk then counts as changed. */
async function hasChanged(
  { disks }: SnapshotsPorts,
  snapshot: { diskId: string; snapshotId: string },
): Promise<boolean> {
  return await disks.mayDifferFromSnapshot(snapshot).catch((error: unknown) => {
    if (isErrorOf({ code: 'disk.snapshot-not-found' }, error)) return true
    throw error
  })
}

/** Returns the snapshot with the content of a paused sandbox's disk; undefined: the disk itself can be read. */
async function pausePoint(ports: SnapshotsPorts, { sandboxId }: StoredSandbox) {
  const boot = await ports.boots.current(sandboxId)
  return boot !== undefined && isBootAsleep(boot) ? await ports.pausePoints.find(sandboxId) : undefined
}

function isReady({ phase }: SnapshotsTable): boolean {
  return phase === 'ready'
}

type PresentedSnapshot = Omit<SnapshotsTable, 'phase'>

function present(row: PresentedSnapshot, sizes: ReadonlyMap<string, number>): HostSnapshot {
  const { snapshotId, at, writtenBytes } = row
  return { snapshotId, at, writtenBytes, memoryBytes: sizes.get(snapshotId) ?? null }
}
