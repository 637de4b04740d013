import type { Entry, Turn } from '@threadbox/protocol/public'
import type { LogTransaction, ThreadChange, ThreadLog } from '../../threads/public.ts'
import { type CompactionRecord, type TurnHistory, type TurnRecord, writerOf } from '../../turns/public.ts'
import type { RewindRow } from './rewinds.table.ts'

/** What a rewind removed from a conversation: all that is needed to restore it. Outputs stay where they are. */
export type UndoneConversation = {
  turns: UndoneTurn[]
  views: Turn[]
  entries: Entry[]
  /** A summary that covers removed turns. */
  compaction: CompactionRecord | null
}

/** Stored. Records from before notes had codes lack `noteCodes`: after an undo, the model gets its note once more. */
type UndoneTurn = Omit<TurnRecord, 'noteCodes'> & Partial<Pick<TurnRecord, 'noteCodes'>>

type Conversation = { log: ThreadLog; history: TurnHistory }

/** Reads what belongs to the turns from `ordinal` on. */
export async function readUndone(
  { log, history }: Conversation,
  { threadId, ordinal }: { threadId: string; ordinal: number },
): Promise<UndoneConversation> {
  const turns = await history.turnsFrom(threadId, ordinal)
  const turnIds = new Set(turns.map(({ id }) => id))
  const views = await Promise.all(turns.map(({ id }) => log.turn(threadId, id)))
  const compaction = await history.lastCompaction(threadId)
  return {
    turns,
    views: views.filter((view) => view !== undefined),
    entries: (await log.entries(threadId)).filter((entry) => turnIds.has(entry.turnId)),
    compaction: compaction !== undefined && compaction.turnOrdinal >= ordinal ? compaction : null,
  }
}

/** Removes the turns and adds the notice in their place. */
export async function removeUndone(
  { log, history }: Conversation,
  order: {
    row: RewindRow
    undone: UndoneConversation
    notice: Entry
    alongside: (transaction: LogTransaction) => Promise<void>
  },
): Promise<void> {
  const { row, undone, notice } = order
  const changes: ThreadChange[] = [
    ...undone.entries.map(({ id }): ThreadChange => ({ type: 'entry-removed', entryId: id })),
    { type: 'entry-added', entry: notice },
  ]
  await log.append(row.thread_id, changes, async (transaction) => {
    await history.removeTurnsFrom(row.thread_id, row.ordinal, writerOf(transaction))
    await order.alongside(transaction)
  })
}

/** Restores the turns and removes the notice and what followed it. */
export async function restoreUndone(
  { log, history }: Conversation,
  order: {
    row: RewindRow
    undone: UndoneConversation
    alongside: (transaction: LogTransaction) => Promise<void>
  },
): Promise<void> {
  const { row, undone } = order
  const entries = await log.entries(row.thread_id)
  const notice = entries.findIndex(({ id }) => id === row.notice_entry_id)
  // The undo discards the sandbox state whose wakes follow the notice.
  const gone =
    notice < 0 ? [] : entries.slice(notice).filter(({ id, kind }) => kind === 'wake' || id === row.notice_entry_id)
  const changes: ThreadChange[] = [
    ...gone.map(({ id }): ThreadChange => ({ type: 'entry-removed', entryId: id })),
    ...undone.entries.map((entry): ThreadChange => ({ type: 'entry-added', entry })),
    ...undone.views.map((turn): ThreadChange => ({ type: 'turn-updated', turn })),
  ]
  await log.append(row.thread_id, changes, async (transaction) => {
    const writer = writerOf(transaction)
    for (const { steps, ...turn } of undone.turns) {
      await history.addTurn({ ...turn, noteCodes: turn.noteCodes ?? [] }, writer)
      for (const { calls, ...step } of steps) {
        await history.addStep(step, row.thread_id, writer)
        for (const call of calls) await history.addCall(call, writer)
      }
    }
    if (undone.compaction !== null) await history.addCompaction(undone.compaction, writer)
    await order.alongside(transaction)
  })
}
