import { makeKeyedLock } from '@threadbox/concurrency'
import { chooseMemoryRemovals, chooseSnapshotRemovals } from '@threadbox/domain'
import type { Manifest } from '@threadbox/protocol/guest'
import type { HostSnapshot, SnapshotMemoryOrder } from '@threadbox/protocol/host'
import type { ThreadSnapshots } from '@threadbox/protocol/public'
import { readManifest } from '../../sandboxes/public.ts'
import type { LogTransaction } from '../../threads/public.ts'
import { makePins, type Pins } from './pins.usecases.ts'
import { type SnapshotsDependencies, snapshotsIn } from './snapshots.dependencies.ts'
import { snapshotNotFound } from './snapshots.errors.ts'
import { presentSnapshots } from './snapshots.presenter.ts'
import { memoryStates } from './snapshots.table.ts'
import { removeSnapshot } from './take-files.ts'
import { makeTurnEnds, type TurnEnds } from './turn-ends.ts'

/** Snapshots of a thread's disk at the end of each turn. */
export type Snapshots = Omit<TurnEnds, 'pinned'> &
  Pins & {
    /** Records, in the transaction that ends a turn, that its snapshot is to be taken. */
    want(turn: { id: string; threadId: string }, transaction: LogTransaction): Promise<void>
    list(threadId: string): Promise<ThreadSnapshots>
    /**
     * The newest snapshot of one of these turns, which has what the disk contained after them; undefined when it isn't
     * kept.
     */
    afterTurns(threadId: string, turnIds: readonly string[]): Promise<TurnSnapshotRef | undefined>
    /**
     * What ran at the end of the last of these turns, as recorded at that time; null when nothing was recorded. For a
     * snapshot with memory, what the memory contains.
     */
    runningStateAt(
      snapshot: Pick<TurnSnapshotRef, 'id' | 'hasMemory'>,
      turnIds: readonly string[],
    ): Promise<Manifest | null>
    /** How much memory to keep of the state that a rewind leaves; null: none. */
    memoryOrder(): Promise<SnapshotMemoryOrder>
    /** Records a snapshot taken of the state that a rewind left. */
    keep(snapshot: { threadId: string; sandboxId: string; kept: HostSnapshot }): Promise<void>
    /** Returns whether the snapshot is kept, according to the records. */
    isKept(threadId: string, snapshotId: string): Promise<boolean>
    /** Throws `snapshot.not-found`. */
    remove(threadId: string, snapshotId: string): Promise<void>
    /** Applies limits that were changed. */
    trim(): Promise<void>
  }

export type TurnSnapshotRef = {
  id: string
  at: number
  hasMemory: boolean
  /** Nothing was running, so the files are all there was. */
  hadNothing: boolean
  /** A person pinned the turn. */
  isPinned: boolean
}

export function makeSnapshots(dependencies: SnapshotsDependencies): Snapshots {
  const { store, system, logger } = dependencies
  const oneAtATime = makeKeyedLock()
  const trim = (diskShares?: ReadonlyMap<string, number>) =>
    oneAtATime('trim', () => trimAll(dependencies, diskShares)).catch((error: unknown) => {
      logger.warn({ err: error }, 'snapshots beyond the limits were not removed')
    })
  const { pinned, ...ends } = makeTurnEnds(dependencies, { oneAtATime, trim })
  return {
    want: async (turn, transaction) => {
      const row = {
        turn_id: turn.id,
        thread_id: turn.threadId,
        at: system.now(),
        snapshot_id: system.newId('snapshot'),
      }
      await store.want(row, transaction)
    },
    ...ends,
    list: (threadId) => listSnapshots(dependencies, threadId),
    afterTurns: async (threadId, turnIds) => {
      const wanted = new Set(turnIds)
      const { snapshots } = await listSnapshots(dependencies, threadId)
      const [newest, ...earlier] = snapshots.slice(snapshots.findIndex(({ turnId }) => wanted.has(turnId)))
      if (newest === undefined || newest.id === null || !wanted.has(newest.turnId)) return undefined
      // A turn that used no sandbox shares the snapshot of an earlier one, and has no reason of its own.
      const sharing = [newest, ...earlier].filter(({ id }) => id === newest.id)
      const reason = sharing.find(({ memoryProblem }) => memoryProblem !== null)
      const hadNothing = reason?.memoryProblem === memoryStates.nothingRan
      const { id, at, memoryBytes, isPinned } = newest
      return { id, at, hasMemory: memoryBytes !== null, hadNothing, isPinned }
    },
    runningStateAt: async ({ id, hasMemory }, turnIds) => {
      const rows = await store.manifests(id)
      // A snapshot without memory can be shared with an earlier turn, at whose end something else ran.
      const row = hasMemory ? rows[0] : rows.find(({ turn_id }) => turn_id === turnIds.at(-1))
      return readManifest(row?.json ?? null)
    },
    memoryOrder: async () => snapshotsIn(await dependencies.settings()).memory.order,
    keep: async ({ threadId, sandboxId, kept }) => {
      const { snapshotId: id, at, writtenBytes } = kept
      const row = { id, thread_id: threadId, sandbox_id: sandboxId, at, written_bytes: writtenBytes }
      await store.add({ ...row, memory_bytes: kept.memoryBytes })
      await trim()
    },
    isKept: async (threadId, snapshotId) => (await store.find(threadId, snapshotId)) !== undefined,
    remove: (threadId, snapshotId) =>
      oneAtATime(threadId, async () => {
        const snapshot = await store.find(threadId, snapshotId)
        if (snapshot === undefined) throw snapshotNotFound({})
        await removeSnapshot(dependencies, { id: snapshotId, threadId })
      }),
    ...makePins(dependencies, { oneAtATime, trim, list: (threadId) => listSnapshots(dependencies, threadId), pinned }),
    trim: () => trim(),
  }
}

async function trimAll(
  dependencies: SnapshotsDependencies,
  diskShares: ReadonlyMap<string, number> | undefined,
): Promise<void> {
  const snapshots = (await dependencies.store.all()).map((row) => ({
    id: row.id,
    threadId: row.thread_id,
    writtenBytes: row.written_bytes,
  }))
  const { memory: memoryLimits, ...limits } = snapshotsIn(await dependencies.settings())
  const pinnedIds = await dependencies.store.pinnedSnapshots()
  const shares = diskShares === undefined ? {} : { diskShares }
  const removals = chooseSnapshotRemovals({ snapshots, limits, pinnedIds, ...shares })
  for (const removal of removals) await removeSnapshot(dependencies, removal)
  const memories = (await dependencies.store.all()).flatMap(({ id, thread_id: threadId, memory_bytes: memoryBytes }) =>
    memoryBytes === null ? [] : [{ id, threadId, memoryBytes }],
  )
  const memoryRemovals = chooseMemoryRemovals({ memories, limits: memoryLimits, pinnedIds })
  for (const removal of memoryRemovals) await removeMemory(dependencies, removal)
}

/** Deletes on the host first, for the same reason as `removeSnapshot`. */
async function removeMemory(
  { host, store, sandboxOf }: SnapshotsDependencies,
  { id, threadId }: { id: string; threadId: string },
): Promise<void> {
  const sandbox = await sandboxOf(threadId)
  if (sandbox !== undefined) await host.removeSnapshotMemory(sandbox.id, id)
  await store.removeMemory(id)
}

async function listSnapshots(dependencies: SnapshotsDependencies, threadId: string): Promise<ThreadSnapshots> {
  const { store, host } = dependencies
  const sandbox = await dependencies.sandboxOf(threadId)
  const hasDisk = sandbox !== undefined && sandbox.state !== 'fresh'
  // Asks the host last, so that it has every snapshot of the records, unless one was removed in the meantime.
  const [all, snapshots] = [await store.turns(threadId), await store.all()]
  const inConversation = new Set(await dependencies.record.turnIds(threadId))
  const turns = all.filter((turn) => inConversation.has(turn.turn_id))
  const measured = hasDisk ? await host.snapshots(sandbox.id).catch(() => undefined) : undefined
  const { memory: memoryLimits, ...limits } = snapshotsIn(await dependencies.settings())
  return presentSnapshots({
    threadId,
    turns,
    snapshots,
    sandboxId: sandbox?.id,
    disk: measured,
    limits,
    memoryLimits,
  })
}
