import { delaysOf } from '@threadbox/concurrency'
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
/** Each attempt inspects what runs in the sandbox, which costs a busy machine too. */
const busyWaitMs = delaysOf([2_000, 4_000, 8_000, 16_000])

/** Saves memory of turns once their thread is idle, the hour has room, and the host has nothing more urgent. */
export type LaterMemory = {
  /**
   * Resolves when it is recorded how it ended. `bytes`: about how much it is. Memory of a pinned turn waits for nothing.
   */
  save(turn: TurnSnapshotRow, bytes: number): Promise<void>
  /** Saves memory that waits, of a turn that was pinned in the meantime. A message that comes later waits for it. */
  hasten(turn: Pick<TurnSnapshotRow, 'turn_id' | 'thread_id'>): Promise<void>
  /** Whether the memory of a turn is saved, or waits to be, in this process. */
  isPending(turnId: string): boolean
}

type ThreadPorts = {
  quiet: QuietWaits
  /** Runs work while no operation can begin in the thread. */
  inThread: <Value>(threadId: string, work: () => Promise<Value>) => Promise<Value>
  trimAfter: (threadId: string, taken: TakenSnapshot) => Promise<void>
}

/** A turn whose memory waits. `isUsed`: whether the thread was used since the turn ended. */
type Waiting = { bytes: number; isUsed: () => boolean }

export function makeLaterMemory(dependencies: SnapshotsDependencies, thread: ThreadPorts): LaterMemory {
  const { memories, budget } = dependencies
  const { quiet, inThread, trimAfter } = thread
  const waiting = new Map<string, Waiting>()
  const hasten = makeHasten(dependencies, thread, waiting)
  /** Resolves when the memory can be saved (`free`), when the wait is canceled, or when this process ends. */
  const untilInBudget = async (
    wanted: WantedMemory,
    isCanceled: () => boolean,
  ): Promise<'free' | 'canceled' | 'ended'> => {
    while (!isCanceled()) {
      const waitMs = await budget.reserve(wanted)
      if (waitMs === 0) return 'free'
      if (quiet.isHurried()) return 'ended'
      if (!isCanceled()) await quiet.wait(wanted.threadId, Math.min(waitMs, longestWaitMs))
    }
    return 'canceled'
  }
  const saveWaiting = async (turn: TurnSnapshotRow, own: Waiting) => {
    const { thread_id: threadId, turn_id: turnId } = turn
    const wanted = { turnId, threadId, bytes: own.bytes }
    const isHastened = () => waiting.get(turnId) !== own
    const isCanceled = () => own.isUsed() || isHastened()
    const attempt = async (overdueAt: number) => {
      const end = await untilInBudget(wanted, isCanceled)
      if (end === 'ended') return undefined
      return await inThread(threadId, async () => {
        if (isHastened()) return undefined
        // A message that has begun its turn may use the sandbox at any moment.
        const isBusy = own.isUsed() || (await dependencies.runningTurn(threadId)) !== undefined
        const ifFree = performance.now() < overdueAt && !quiet.isHurried()
        if (end === 'free' && !isBusy) return await saveMemory(dependencies, { turn, quiet, ifFree, ifQuiet: true })
        if (end === 'free') await budget.settle(turnId, 0)
        const isLimited = (await budget.waitMs(wanted)) > 0
        return void (await memories.settleMemory(turn, isLimited ? memoryStates.leftOut : memoryStates.notQuiet))
      })
    }
    const { quietMs } = snapshotsIn(await dependencies.settings()).memory
    if (!isCanceled()) await quiet.wait(threadId, quietMs)
    // Without time to be idle, memory is kept whatever it costs others.
    const overdueAt = performance.now() + (quietMs === 0 ? 0 : overdueMs)
    let saved = await attempt(overdueAt)
    for (let attempts = 0; saved === 'busy'; attempts += 1) {
      const untilOverdueMs = Math.max(0, overdueAt - performance.now())
      if (!isCanceled()) await quiet.wait(threadId, Math.min(busyWaitMs(attempts), untilOverdueMs))
      saved = await attempt(overdueAt)
    }
    if (saved !== undefined) await trimAfter(threadId, saved)
  }
  return {
    save: async (turn, bytes) => {
      const wantsBefore = quiet.wantsOf(turn.thread_id)
      const own = { bytes, isUsed: () => quiet.wantsOf(turn.thread_id) !== wantsBefore }
      waiting.set(turn.turn_id, own)
      try {
        // A pin that is recorded after this hastens the save.
        if ((await memories.pinnedUnsaved(turn.turn_id)) !== undefined) await hasten(turn)
        else await saveWaiting(turn, own)
      } finally {
        if (waiting.get(turn.turn_id) === own) waiting.delete(turn.turn_id)
      }
    },
    hasten,
    isPending: (turnId) => waiting.has(turnId),
  }
}

function makeHasten(
  dependencies: SnapshotsDependencies,
  { quiet, inThread, trimAfter }: ThreadPorts,
  waiting: Map<string, Waiting>,
): LaterMemory['hasten'] {
  const { memories, budget } = dependencies
  return async ({ turn_id: pinnedId, thread_id: threadId }) => {
    const saved = await inThread(threadId, async () => {
      const turn = await memories.pinnedUnsaved(pinnedId)
      const turnId = turn?.turn_id ?? ''
      const known = waiting.get(turnId)
      if (known === undefined || turn === undefined) return undefined
      const isBusy = known.isUsed() || (await dependencies.runningTurn(threadId)) !== undefined
      if (isBusy) return void (await memories.settleMemory(turn, memoryStates.notQuiet))
      // What waits finds that it is no longer the one to save.
      const own = { ...known }
      waiting.set(turnId, own)
      try {
        await budget.take({ turnId, threadId, bytes: known.bytes })
        return await saveMemory(dependencies, { turn, quiet, ifFree: false, ifQuiet: false })
      } finally {
        if (waiting.get(turnId) === own) waiting.delete(turnId)
      }
    })
    if (saved !== undefined && saved !== 'busy') await trimAfter(threadId, saved)
  }
}
