import { type KeyedLock, makeBackground, makeKeyedLock } from '@threadbox/concurrency'
import type { TakenSnapshot } from '@threadbox/protocol/host'
import { makeLaterMemory } from './later-memory.ts'
import { makeQuietWaits } from './quiet-waits.ts'
import type { SnapshotsDependencies } from './snapshots.dependencies.ts'
import { memoryStates, type TurnSnapshotRow } from './snapshots.table.ts'
import { removeOther, sizeOf, takeFiles } from './take-files.ts'

export type TurnEnds = {
  /** Call it when a turn was pinned: memory that waits to be saved is saved now. It returns before that. */
  pinned(turn: { id: string; threadId: string }): void
  /**
   * Takes the thread's pending snapshots of files, and saves memory once the thread is idle. Call it as soon as the turn
   * has ended. Never throws.
   */
  turnEnded(threadId: string): Promise<void>
  /**
   * Resolves when no snapshot of the thread is being taken: call it before changing the disk. Memory that is to be saved
   * once the thread is idle isn't saved.
   */
  settled(threadId: string): Promise<void>
  /**
   * Takes what a crash or an unreachable host left pending, and removes what it left over. Call it at start and when the
   * host is reachable again.
   */
  recover(): Promise<void>
  /** Resolves when nothing is being taken or removed. Saves deferred memory now. */
  idle(): Promise<void>
}

/**
 * Takes what a turn leaves: its files immediately, memory once the thread has been idle for a while. `oneAtATime` holds
 * a thread's records; `trim` applies the limits, with the share of a disk that is used.
 */
export function makeTurnEnds(
  dependencies: SnapshotsDependencies,
  records: {
    oneAtATime: KeyedLock
    trim: (diskShares: ReadonlyMap<string, number>) => Promise<void>
  },
): TurnEnds {
  const { store, memories, logger } = dependencies
  const { oneAtATime, trim } = records
  /** Holds only the taking of snapshots: calls of the next turn wait for that, but not for removals. */
  const taking = makeKeyedLock()
  const quiet = makeQuietWaits()
  const background = makeBackground<{ threadId: string }>((error, { threadId }) =>
    logger.warn({ err: error, threadId }, 'no snapshot was taken of the disk after a turn'),
  )
  const inThread = <Value>(threadId: string, take: () => Promise<Value>) =>
    taking(threadId, () => oneAtATime(threadId, take))
  const takeWanted = async (threadId: string) => {
    const wanted = (await store.turns(threadId)).filter(({ state }) => state === 'wanted')
    for (const turn of wanted.slice(0, -1)) await store.settle(turn, { state: 'missed', problem: null })
    const turn = wanted.at(-1)
    if (turn === undefined) return undefined
    // From here on, a rewind of this thread can't be undone: turns that it undid are gone.
    await store.keepPinsOf(threadId, await dependencies.record.turnIds(threadId))
    const files = await takeFiles(dependencies, { turn, quiet })
    return files && { ...files, turn: { ...turn, snapshot_id: files.taken.snapshot.snapshotId } }
  }
  const trimAfter = (threadId: string, { usedBytes, limitBytes }: TakenSnapshot) =>
    trim(new Map([[threadId, usedBytes / limitBytes]]))
  const later = makeLaterMemory(dependencies, { quiet, inThread, trimAfter })
  const turnEnded = async (threadId: string) => {
    const files = inThread(threadId, () => takeWanted(threadId))
    const work = files.then(async (found) => {
      if (found === undefined) return
      // Waits from now on, so that a pin finds it.
      const saved = found.memoryBytes > 0 ? later.save(found.turn, found.memoryBytes) : undefined
      await Promise.all([trimAfter(threadId, found.taken), saved])
    })
    void background.keep(work, { threadId })
    await Promise.allSettled([files])
  }
  const finish = async (turn: TurnSnapshotRow) => {
    if (turn.other_snapshot_id !== null) await removeOther(dependencies, turn)
    if (turn.memory_problem !== memoryStates.notYet) return
    const newest = (await store.turns(turn.thread_id)).at(-1)
    const running = await dependencies.runningTurn(turn.thread_id)
    if (running !== undefined || newest?.turn_id !== turn.turn_id)
      await memories.settleMemory(turn, memoryStates.notQuiet)
    else void background.keep(later.save(turn, sizeOf(null)), { threadId: turn.thread_id })
  }
  return {
    turnEnded,
    pinned: ({ id, threadId }) => {
      void background.keep(later.hasten({ turn_id: id, thread_id: threadId }), { threadId })
    },
    settled: async (threadId) => {
      using _ = quiet.want(threadId)
      await taking.settled(threadId)
    },
    recover: async () => {
      for (const turn of await store.wanted()) {
        // What is on the disk now may already belong to the running turn.
        const running = await dependencies.runningTurn(turn.thread_id)
        if (running === undefined) await turnEnded(turn.thread_id)
        else await store.settle(turn, { state: 'missed', problem: null })
      }
      for (const turn of await memories.unfinished()) if (!later.isPending(turn.turn_id)) await finish(turn)
    },
    idle: async () => {
      using _ = quiet.hurry()
      await background.settled()
    },
  }
}
