import type { TakenSnapshot } from '@threadbox/protocol/host'
import type { WantedMemory } from './memory-budget.ts'
import type { QuietWaits } from './quiet-waits.ts'
import { type SnapshotsDependencies, snapshotsIn } from './snapshots.dependencies.ts'
import { memoryStates, type TurnSnapshotRow } from './snapshots.table.ts'
import { saveMemory } from './take-files.ts'

/** Settings can change while a save waits for its hour. */
const longestWaitMs = 60_000
/** A save yields to what people wait for, for so long. */
const overdueMs = 60_000
const busyWaitMs = 2_000

/** Saves memory of turns once their thread is idle, the hour has room, and the host has nothing more urgent. */
export type LaterMemory = {
  /** Resolves when it is recorded how it ended. `bytes`: about how much it is. */
  save(turn: TurnSnapshotRow, bytes: number): Promise<void>
  /** Whether the memory of a turn is saved, or waits to be, in this process. */
  isPending(turnId: string): boolean
}

export function makeLaterMemory(
  dependencies: SnapshotsDependencies,
  thread: {
    quiet: QuietWaits
    /** Runs work while no operation can begin in the thread. */
    inThread: <Value>(threadId: string, work: () => Promise<Value>) => Promise<Value>
    trimAfter: (threadId: string, taken: TakenSnapshot) => Promise<void>
  },
): LaterMemory {
  const { memories, budget } = dependencies
  const { quiet, inThread, trimAfter } = thread
  const deferred = new Set<string>()
  /** Resolves when the memory can be saved (`free`), when the thread is used, or when this process ends. */
  const untilInBudget = async (wanted: WantedMemory, isUsed: () => boolean): Promise<'free' | 'used' | 'ended'> => {
    while (!isUsed()) {
      const waitMs = await budget.reserve(wanted)
      if (waitMs === 0) return 'free'
      if (quiet.isHurried()) return 'ended'
      if (!isUsed()) await quiet.wait(wanted.threadId, Math.min(waitMs, longestWaitMs))
    }
    return 'used'
  }
  const save = async (turn: TurnSnapshotRow, bytes: number) => {
    const { thread_id: threadId, turn_id: turnId } = turn
    const wanted = { turnId, threadId, bytes }
    const wantsBefore = quiet.wantsOf(threadId)
    const isUsed = () => quiet.wantsOf(threadId) !== wantsBefore
    const attempt = async (overdueAt: number) => {
      const end = await untilInBudget(wanted, isUsed)
      if (end === 'ended') return undefined
      return await inThread(threadId, async () => {
        // A message that has begun its turn may use the sandbox at any moment.
        const isBusy = isUsed() || (await dependencies.runningTurn(threadId)) !== undefined
        const ifFree = performance.now() < overdueAt && !quiet.isHurried()
        if (end === 'free' && !isBusy) return await saveMemory(dependencies, { turn, quiet, ifFree })
        if (end === 'free') await budget.settle(turnId, 0)
        const isLimited = (await budget.waitMs(wanted)) > 0
        return void (await memories.settleMemory(turn, isLimited ? memoryStates.leftOut : memoryStates.notQuiet))
      })
    }
    deferred.add(turnId)
    try {
      const { quietMs } = snapshotsIn(await dependencies.settings()).memory
      await quiet.wait(threadId, quietMs)
      // Without time to be idle, memory is kept whatever it costs others.
      const overdueAt = performance.now() + (quietMs === 0 ? 0 : overdueMs)
      let saved = await attempt(overdueAt)
      while (saved === 'busy') {
        if (!isUsed()) await quiet.wait(threadId, busyWaitMs)
        saved = await attempt(overdueAt)
      }
      if (saved !== undefined) await trimAfter(threadId, saved)
    } finally {
      deferred.delete(turnId)
    }
  }
  return { save, isPending: (turnId) => deferred.has(turnId) }
}
