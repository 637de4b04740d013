import type { Sandbox } from '../../sandboxes/public.ts'
import type { Snapshots, TurnHistory, TurnRecord } from '../../turns/public.ts'
import type { RewindSandboxes } from './rewind-sandboxes.ts'
import { rewindMessageNotFound } from './rewinds.errors.ts'

/** The effects of a rewind. */
export type RewindPlan = {
  /** The turn of the message, which is the first removed one. */
  turn: TurnRecord
  /** The removed turns, oldest first. */
  undone: TurnRecord[]
  /** The remaining turns, oldest first. */
  kept: TurnRecord[]
  lastTurnId: string | null
  disk: DiskTarget
}

export type DiskTarget =
  | { to: 'none' }
  | { to: 'gone'; sandbox: Sandbox }
  | { to: 'image'; sandbox: Sandbox }
  | {
      to: 'snapshot'
      sandbox: Sandbox
      snapshotId: string
      at: number
      hasMemory: boolean
      hadNothing: boolean
      isPinned: boolean
    }

type PlanDependencies = {
  history: Pick<TurnHistory, 'turnsFrom'>
  snapshots: Pick<Snapshots, 'afterTurns'>
  sandboxes: Pick<RewindSandboxes, 'find'>
  /** Whether the thread was started from an agent, so that its disk may have started with more than its base image. */
  isFromAgent: (threadId: string) => Promise<boolean>
}

/** Throws `rewind.message-not-found`. */
export async function planRewind(
  dependencies: PlanDependencies,
  { threadId, entryId }: { threadId: string; entryId: string },
): Promise<RewindPlan> {
  const all = await dependencies.history.turnsFrom(threadId, 0)
  const index = all.findIndex((turn) => turn.userEntryId === entryId)
  const turn = all[index]
  if (turn === undefined) throw rewindMessageNotFound({})
  const kept = all.slice(0, index)
  return {
    turn,
    undone: all.slice(index),
    kept,
    lastTurnId: kept.at(-1)?.id ?? null,
    disk: await diskTarget(dependencies, { threadId, turn, kept }),
  }
}

/** A sandbox created after the message had no disk content before it: its disk is reset to the base image. */
async function diskTarget(
  { snapshots, sandboxes, isFromAgent }: PlanDependencies,
  { threadId, turn, kept }: { threadId: string; turn: TurnRecord; kept: readonly TurnRecord[] },
): Promise<DiskTarget> {
  const sandbox = await sandboxes.find(threadId)
  if (sandbox === undefined || sandbox.state === 'fresh' || sandbox.has_run === 0) return { to: 'none' }
  if (sandbox.created_at > turn.startedAt) return { to: 'image', sandbox }
  if (kept.length === 0) return { to: (await isFromAgent(threadId)) ? 'gone' : 'image', sandbox }
  const turnIds = kept.map(({ id }) => id)
  const snapshot = await snapshots.afterTurns(threadId, turnIds)
  if (snapshot === undefined) return { to: 'gone', sandbox }
  const { id: snapshotId, ...known } = snapshot
  return { to: 'snapshot', sandbox, snapshotId, ...known }
}
