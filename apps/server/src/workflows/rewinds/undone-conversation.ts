import type { Entry, Turn } from '@threadbox/protocol/public'
import type { LogTransaction, ThreadChange, ThreadLog } from '../../threads/public.ts'
import { type CompactionRecord, type TurnHistory, type TurnRecord, writerOf } from '../../turns/public.ts'
import type { RewindRow } from './rewinds.table.ts'

/** What a rewind took out of a conversation: all that is needed to put it back. Outputs stay where they are. */
export type UndoneConversation = {
  turns: UndoneTurn[]
  views: Turn[]
  entries: Entry[]
  /** A summary that spoke of them. */
  compaction: CompactionRecord | null
}

/** Stored. One from before notes had codes has none: after an undo, the model gets its note once more. */
type UndoneTurn = Omit<TurnRecord, 'noteCodes'> & Partial<Pick<TurnRecord, 'noteCodes'>>

type Conversation = { log: ThreadLog; history: TurnHistory }

/** What belongs to the turns from `ordinal` on. */
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

/** Takes the turns out, and says so in their place. */
export async function takeOut(
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

/** Puts the turns back, in the place of what said that they are gone. */
export async function putBack(
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
  // The computer whose wakes follow the notice is given up.
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
