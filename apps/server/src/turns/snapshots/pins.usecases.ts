import type { KeyedLock } from '@threadbox/concurrency'
import { canPinMore, maxPinsPerThread } from '@threadbox/domain'
import type { ThreadSnapshots } from '@threadbox/protocol/public'
import { type SnapshotsDependencies, snapshotsIn } from './snapshots.dependencies.ts'
import { snapshotNotFound, snapshotNotKept, snapshotPinLimit, snapshotPinsTooLarge } from './snapshots.errors.ts'
import type { TurnEnds } from './turn-ends.ts'

/** Turns that a person keeps, beyond the limits. */
export type Pins = {
  /**
   * Keeps the snapshot of a turn with its memory; memory that waits to be saved is saved now. Throws
   * `snapshot.not-found`, `snapshot.not-kept`, `snapshot.pin-limit-reached` and `snapshot.pins-too-large`.
   */
  pin(threadId: string, turnId: string): Promise<void>
  /** Throws `snapshot.not-found`. */
  unpin(threadId: string, turnId: string): Promise<void>
}

/** `oneAtATime` holds a thread's records and, under `trim`, what is removed beyond the limits. */
export function makePins(
  dependencies: SnapshotsDependencies,
  known: {
    oneAtATime: KeyedLock
    trim: () => Promise<void>
    list: (threadId: string) => Promise<ThreadSnapshots>
    pinned: TurnEnds['pinned']
  },
): Pins {
  const { store, record, system } = dependencies
  const { oneAtATime, list, pinned } = known
  /** While neither a limit nor a full disk removes a snapshot of the thread. */
  const whileKept = (threadId: string, work: () => Promise<void>) =>
    oneAtATime(threadId, () => oneAtATime('trim', work))
  const requireTurn = async (threadId: string, turnId: string) => {
    if (!(await record.turnIds(threadId)).includes(turnId)) throw snapshotNotFound({})
  }
  return {
    pin: async (threadId, turnId) => {
      await whileKept(threadId, async () => {
        await requireTurn(threadId, turnId)
        const { snapshots } = await list(threadId)
        const found = snapshots.find((line) => line.turnId === turnId)
        if (found === undefined || !['wanted', 'kept'].includes(found.state)) throw snapshotNotKept({})
        if (found.isPinned) return
        if (snapshots.filter(({ isPinned }) => isPinned).length >= maxPinsPerThread) {
          throw snapshotPinLimit({ max: maxPinsPerThread })
        }
        if (!(await hasRoom(dependencies))) throw snapshotPinsTooLarge({})
        await store.setPin({ thread_id: threadId, turn_id: turnId }, system.now())
      })
      pinned({ id: turnId, threadId })
    },
    unpin: async (threadId, turnId) => {
      await whileKept(threadId, async () => {
        await requireTurn(threadId, turnId)
        await store.setPin({ thread_id: threadId, turn_id: turnId }, null)
      })
      await known.trim()
    },
  }
}

/** Whether pinned snapshots of all threads leave room for another one. */
async function hasRoom({ store, settings }: SnapshotsDependencies): Promise<boolean> {
  const pinnedIds = await store.pinnedSnapshots()
  const pinned = (await store.all()).filter(({ id }) => pinnedIds.has(id))
  const { bytes, memory } = snapshotsIn(await settings())
  const writtenBytes = pinned.reduce((sum, row) => sum + row.written_bytes, 0)
  const memoryBytes = pinned.reduce((sum, row) => sum + (row.memory_bytes ?? 0), 0)
  return canPinMore({ writtenBytes, memoryBytes }, { bytes, memoryBytes: memory.bytes })
}
