import type { EntriesPage, Entry, Thread, ThreadEvent, Turn } from '@threadbox/protocol/public'
import type { Kysely, Transaction } from 'kysely'
import { withDeltas } from './thread-log.fold.ts'
import type { ThreadChange } from './thread-log.ts'
import type { EntryRow, ThreadTables } from './threads.table.ts'

export type RecordedEvent = Extract<ThreadEvent, { seq: number }>
/** Changes that can be recorded: those of features, and the thread's own. */
export type RecordedChange = ThreadChange | { type: 'thread-updated'; thread: Thread }

type Database = Kysely<ThreadTables> | Transaction<ThreadTables>

/** Writes an event and what it changes. The caller has reserved `seq` in the same transaction. */
export async function recordChange(
  transaction: Transaction<ThreadTables>,
  record: { threadId: string; seq: number; change: RecordedChange },
): Promise<{ event: RecordedEvent; characters: number }> {
  const { threadId, seq, change } = record
  const event = { ...change, seq } as RecordedEvent
  const isDelta = change.type === 'text-appended' || change.type === 'display-added'
  const json = JSON.stringify(event)
  await transaction
    .insertInto('thread_events')
    .values({ thread_id: threadId, seq, entry_id: isDelta ? change.entryId : null, json })
    .execute()
  if (change.type === 'entry-added' || change.type === 'entry-updated')
    await putEntry(transaction, record, change.entry)
  if (change.type === 'entry-removed') {
    await transaction
      .deleteFrom('thread_entries')
      .where('thread_id', '=', threadId)
      .where('id', '=', change.entryId)
      .execute()
  }
  if (change.type === 'turn-updated') await putTurn(transaction, record, change.turn)
  return { event, characters: json.length }
}

async function putEntry(
  transaction: Transaction<ThreadTables>,
  at: { threadId: string; seq: number },
  entry: Entry,
): Promise<void> {
  const row = { json: JSON.stringify(entry), turn_id: entry.turnId, kind: entry.kind, updated_seq: at.seq }
  await transaction
    .insertInto('thread_entries')
    .values({ ...row, thread_id: at.threadId, id: entry.id, position: at.seq })
    .onConflict((conflict) => conflict.columns(['thread_id', 'id']).doUpdateSet(row))
    .execute()
}

async function putTurn(
  transaction: Transaction<ThreadTables>,
  at: { threadId: string; seq: number },
  turn: Turn,
): Promise<void> {
  const json = JSON.stringify(turn)
  await transaction
    .insertInto('thread_turns')
    .values({ thread_id: at.threadId, id: turn.id, json, position: at.seq })
    .onConflict((conflict) => conflict.columns(['thread_id', 'id']).doUpdateSet({ json }))
    .execute()
}

/** The entries of rows with their deltas applied. */
export async function foldRows(database: Database, threadId: string, rows: readonly EntryRow[]): Promise<Entry[]> {
  const oldest = Math.min(...rows.map((row) => row.updated_seq))
  const deltas =
    rows.length === 0
      ? []
      : await database
          .selectFrom('thread_events')
          .select(['entry_id', 'seq', 'json'])
          .where('thread_id', '=', threadId)
          .where('entry_id', 'is not', null)
          .where('seq', '>', oldest)
          .orderBy('seq')
          .execute()
  const byEntry = Map.groupBy(deltas, (delta) => delta.entry_id)
  return rows.map((row) => {
    const later = (byEntry.get(row.id) ?? []).filter((delta) => delta.seq > row.updated_seq)
    return withDeltas(
      JSON.parse(row.json) as Entry,
      later.map((delta) => JSON.parse(delta.json) as RecordedEvent),
    )
  })
}

/** Recorded events after `afterSeq`, oldest first, up to `limit`. */
export async function eventsAfter(
  database: Database,
  query: { threadId: string; afterSeq: number; limit: number },
): Promise<RecordedEvent[]> {
  const rows = await database
    .selectFrom('thread_events')
    .select('json')
    .where('thread_id', '=', query.threadId)
    .where('seq', '>', query.afterSeq)
    .orderBy('seq')
    .limit(query.limit)
    .execute()
  return rows.map((row) => JSON.parse(row.json) as RecordedEvent)
}

/** One page of the conversation, and the number of the last event that it includes. */
export async function readPage(
  transaction: Transaction<ThreadTables>,
  query: { threadId: string; before: number | null; limit: number; lastSeq: number },
): Promise<EntriesPage> {
  const candidates = await transaction
    .selectFrom('thread_entries')
    .selectAll()
    .where('thread_id', '=', query.threadId)
    .$if(query.before !== null, (builder) => builder.where('position', '<', query.before ?? 0))
    .orderBy('position', 'desc')
    .limit(query.limit + 1)
    .execute()
  const rows = candidates.slice(0, query.limit).reverse()
  const turnIds = [...new Set(rows.map((row) => row.turn_id))]
  const turns =
    turnIds.length === 0
      ? []
      : await transaction
          .selectFrom('thread_turns')
          .select('json')
          .where('thread_id', '=', query.threadId)
          .where('id', 'in', turnIds)
          .orderBy('position')
          .execute()
  const first = rows[0]
  return {
    entries: await foldRows(transaction, query.threadId, rows),
    turns: turns.map((row) => JSON.parse(row.json) as Turn),
    lastSeq: query.lastSeq,
    before: candidates.length > query.limit && first !== undefined ? String(first.position) : null,
  }
}

/** Writes the deltas of entries into their rows, so that the events can be deleted. */
export async function settleDeltas(
  transaction: Transaction<ThreadTables>,
  query: { threadId: string; upToSeq: number },
): Promise<void> {
  const rows = await transaction
    .selectFrom('thread_entries')
    .selectAll()
    .where('thread_id', '=', query.threadId)
    .where('id', 'in', (builder) =>
      builder
        .selectFrom('thread_events')
        .select('entry_id')
        .where('thread_id', '=', query.threadId)
        .where('entry_id', 'is not', null)
        .where('seq', '<=', query.upToSeq)
        .$castTo<{ entry_id: string }>(),
    )
    .execute()
  const entries = await foldRows(transaction, query.threadId, rows)
  for (const entry of entries) {
    const last = await lastDelta(transaction, query.threadId, entry.id)
    await transaction
      .updateTable('thread_entries')
      .set({ json: JSON.stringify(entry), updated_seq: last })
      .where('thread_id', '=', query.threadId)
      .where('id', '=', entry.id)
      .where('updated_seq', '<', last)
      .execute()
  }
}

async function lastDelta(transaction: Transaction<ThreadTables>, threadId: string, entryId: string): Promise<number> {
  const row = await transaction
    .selectFrom('thread_events')
    .select((builder) => builder.fn.max('seq').as('seq'))
    .where('thread_id', '=', threadId)
    .where('entry_id', '=', entryId)
    .executeTakeFirst()
  return Number(row?.seq ?? 0)
}
