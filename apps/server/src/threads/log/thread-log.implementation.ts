import { makeKeyedLock } from '@threadbox/concurrency'
import type { Entry, ThreadEvent, Turn } from '@threadbox/protocol/public'
import type { Kysely, Transaction } from 'kysely'
import type { SearchIndex } from '../search/search-index.ts'
import { type Append, makeLateAppends, together } from './late-appends.ts'
import { isUnreadWorthy } from './thread-log.fold.ts'
import type { LiveHub, LiveReader } from './thread-log.hub.ts'
import {
  eventsAfter,
  foldRows,
  type RecordedChange,
  type RecordedEvent,
  readPage,
  recordChange,
  settleDeltas,
} from './thread-log.store.ts'
import type { LogTransaction, ThreadLog } from './thread-log.ts'
import { threadNotFound } from './threads.errors.ts'
import type { ThreadTables } from './threads.table.ts'

/** Number of events per read when a reader catches up. */
const replayBatch = 200
/**
 * Events kept when a thread is pruned, so that a tab that was offline for a moment catches up without fetching
 * everything.
 */
const keptEvents = 256

/** Called after a commit; the sidebar may have to change. */
export type LogObserver = (change: { threadId: string; isSidebarChange: boolean }) => void

export type ThreadLogDependencies = {
  database: Kysely<ThreadTables>
  hub: LiveHub
  search: SearchIndex
  now: () => number
  onCommit: LogObserver
  /** Gets the failure of a record that nothing waits for, such as that of a thread that was deleted. */
  onUnrecorded: (error: unknown, threadId: string) => void
}

/** Longest time after which `appendSoon` records: long enough for the command that a wake was for to start first. */
const soonMs = 1000

/** The log with the one change that only threads themselves can record. */
export type ThreadRecorder = ThreadLog & {
  recordThread(threadId: string, change: RecordedChange): Promise<void>
  /** The same with the next change, as `appendSoon` does. */
  recordThreadSoon(threadId: string, change: RecordedChange): void
  /** Records everything that `appendSoon` has taken. */
  finish(): Promise<void>
}

export function makeThreadLog(dependencies: ThreadLogDependencies): ThreadRecorder {
  const { database, hub } = dependencies
  // Publishes a thread's commits in the order of their numbers, also when several arrive at the same time.
  const inOrder = makeKeyedLock()
  const record = async (threadId: string, append: Append) => {
    const recorded = await commit(dependencies, { threadId, ...append })
    hub.publish(threadId, recorded.events, recorded.characters)
    notifyAfterCommit(dependencies.onCommit, { threadId, isSidebarChange: recorded.isSidebarChange })
  }
  /** Records those that waited, and then `own`, in one transaction if possible. Rejects only if `own` fails. */
  const recordAll = (threadId: string, own?: Append) =>
    inOrder(threadId, async () => {
      const waited = late.take(threadId)
      if (waited.length > 0) {
        const all = own === undefined ? waited : [...waited, own]
        const isRecorded = await record(threadId, together(all)).then(
          () => true,
          () => false,
        )
        if (isRecorded) return waited.forEach(({ recorded }) => void recorded.resolve())
        // Each alone, so that a failure reaches only its caller.
        for (const one of waited) await record(threadId, one).then(one.recorded.resolve, one.recorded.reject)
      }
      if (own !== undefined) await record(threadId, own)
    })
  const late = makeLateAppends({ waitMs: soonMs, onDue: (threadId) => void recordAll(threadId) })

  return {
    append: (threadId, changes, alongside) => recordAll(threadId, { changes, alongside }),
    appendSoon: (threadId, changes, alongside) => late.add(threadId, { changes, alongside }),
    recordWaiting: (threadId) => recordAll(threadId),
    finish: async () => void (await Promise.all(late.threadIds().map((threadId) => recordAll(threadId)))),
    recordThread: (threadId, change) => recordAll(threadId, { changes: [change] }),
    recordThreadSoon: (threadId, change) =>
      void late.add(threadId, { changes: [change] }).catch((error: unknown) => {
        dependencies.onUnrecorded(error, threadId)
      }),
    showOutput: (threadId, event) => hub.publish(threadId, [event], event.text.length),
    read: (threadId, options) => read({ database, hub }, threadId, options),
    page: (threadId, options) =>
      database.transaction().execute(async (transaction) => {
        const thread = await lastSeqOf(transaction, threadId)
        const before = options.before === null ? null : Number(options.before)
        return await readPage(transaction, { threadId, before, limit: options.limit, lastSeq: thread.last_seq })
      }),
    entry: async (threadId, entryId) => {
      const rows = await entryRows(database, threadId).where('id', '=', entryId).execute()
      return (await foldRows(database, threadId, rows))[0]
    },
    entries: (threadId) =>
      database.transaction().execute(async (transaction): Promise<Entry[]> => {
        return await foldRows(transaction, threadId, await entryRows(transaction, threadId).execute())
      }),
    entriesOfTurn: (threadId, turnId) =>
      database.transaction().execute(async (transaction): Promise<Entry[]> => {
        const rows = await entryRows(transaction, threadId).where('turn_id', '=', turnId).execute()
        return await foldRows(transaction, threadId, rows)
      }),
    turn: async (threadId, turnId) => {
      const row = await database
        .selectFrom('thread_turns')
        .select('json')
        .where('thread_id', '=', threadId)
        .where('id', '=', turnId)
        .executeTakeFirst()
      return row === undefined ? undefined : (JSON.parse(row.json) as Turn)
    },
    prune: (threadId) => inOrder(threadId, () => prune(database, threadId)),
  }
}

/**
 * Notifies after the caller of the commit has continued: a command starts before the sidebar shows it. A separate
 * function, so that the closure keeps nothing else of the commit in memory.
 */
function notifyAfterCommit(
  notify: ThreadLogDependencies['onCommit'],
  commit: Parameters<ThreadLogDependencies['onCommit']>[0],
): void {
  setImmediate(() => notify(commit))
}

function entryRows(database: Kysely<ThreadTables>, threadId: string) {
  return database.selectFrom('thread_entries').selectAll().where('thread_id', '=', threadId).orderBy('position')
}

async function lastSeqOf(database: Kysely<ThreadTables>, threadId: string) {
  const row = await database
    .selectFrom('threads')
    .select(['last_seq', 'pruned_seq', 'news_seq', 'read_seq'])
    .where('id', '=', threadId)
    .executeTakeFirst()
  if (row === undefined) throw threadNotFound({})
  return row
}

/** Records the changes in one transaction. It locks the thread's row first, which assigns the numbers. */
function commit(
  dependencies: ThreadLogDependencies,
  work: Append & { threadId: string },
): Promise<{ events: RecordedEvent[]; characters: number; isSidebarChange: boolean }> {
  return dependencies.database.transaction().execute(async (transaction) => {
    const { threadId, changes } = work
    const reserved = await transaction
      .updateTable('threads')
      .set((builder) => ({ last_seq: builder('last_seq', '+', changes.length) }))
      .where('id', '=', threadId)
      .returning(['last_seq', 'news_seq', 'read_seq'])
      .executeTakeFirst()
    if (reserved === undefined) throw threadNotFound({})
    const first = reserved.last_seq - changes.length + 1
    const events: RecordedEvent[] = []
    let characters = 0
    for (const [index, change] of changes.entries()) {
      const recorded = await recordChange(transaction, { threadId, seq: first + index, change })
      events.push(recorded.event)
      characters += recorded.characters
      await indexChange(dependencies.search, transaction, { threadId, change })
    }
    const isSidebarChange = await updateThread(transaction, {
      threadId,
      events,
      before: reserved,
      now: dependencies.now(),
    })
    await work.alongside?.(transaction as unknown as LogTransaction)
    return { events, characters, isSidebarChange }
  })
}

async function indexChange(
  search: SearchIndex,
  transaction: Transaction<ThreadTables>,
  record: { threadId: string; change: RecordedChange },
): Promise<void> {
  const { threadId, change } = record
  if (change.type === 'entry-added' || change.type === 'entry-updated') {
    await search.putEntry(transaction as never, threadId, change.entry)
  } else if (change.type === 'entry-removed') await search.removeEntry(transaction as never, threadId, change.entryId)
}

/** Updates what the sidebar shows: whether a turn runs, and whether anything is unread. */
async function updateThread(
  transaction: Transaction<ThreadTables>,
  commit: {
    threadId: string
    events: readonly RecordedEvent[]
    before: { news_seq: number; read_seq: number }
    now: number
  },
): Promise<boolean> {
  let newsSeq = commit.before.news_seq
  const turns = new Map<string, boolean>()
  for (const event of commit.events) {
    if (event.type === 'entry-added' && isUnreadWorthy(event.entry)) newsSeq = event.seq
    if (event.type === 'turn-updated') turns.set(event.turn.id, event.turn.status === 'running')
  }
  const hadNews = commit.before.news_seq > commit.before.read_seq
  const hasNews = newsSeq > commit.before.read_seq
  const isActivity = commit.events.some((event) => event.type === 'entry-added' || event.type === 'turn-updated')
  if (isActivity) {
    await transaction
      .updateTable('threads')
      .set({ news_seq: newsSeq, updated_at: commit.now })
      .where('id', '=', commit.threadId)
      .execute()
  }
  for (const [turnId, isRunning] of turns) {
    await transaction
      .updateTable('threads')
      .set({ running_turn_id: isRunning ? turnId : null })
      .where('id', '=', commit.threadId)
      .$if(!isRunning, (builder) => builder.where('running_turn_id', '=', turnId))
      .execute()
  }
  return turns.size > 0 || hadNews !== hasNews
}

/**
 * Replays recorded events, then follows live ones. It subscribes before the first read of the record, so that no event
 * is missed; numbers show which ones were already sent. A reader that lags reads from the record again.
 */
async function* read(
  dependencies: { database: Kysely<ThreadTables>; hub: LiveHub },
  threadId: string,
  options: { afterSeq: number; signal: AbortSignal },
): AsyncGenerator<ThreadEvent> {
  using live = dependencies.hub.subscribe(threadId)
  const position = { seq: options.afterSeq }
  const start = await lastSeqOf(dependencies.database, threadId)
  if (options.afterSeq > start.last_seq || options.afterSeq < start.pruned_seq) {
    yield { type: 'reset' }
    return
  }
  if (!(yield* replay(dependencies.database, { threadId, position, signal: options.signal }))) return
  while (!options.signal.aborted) {
    if (!(yield* drain(dependencies.database, { threadId, position, live, signal: options.signal }))) return
    await live.arrived(options.signal)
  }
}

type Position = { threadId: string; position: { seq: number }; signal: AbortSignal }

/**
 * Yields recorded events after the position. Returns false when some are gone (a `reset` was sent) or the reader left.
 */
async function* replay(database: Kysely<ThreadTables>, at: Position): AsyncGenerator<ThreadEvent, boolean> {
  while (!at.signal.aborted) {
    const query = { threadId: at.threadId, afterSeq: at.position.seq, limit: replayBatch }
    const events = await eventsAfter(database, query)
    for (const event of events) {
      if (event.seq !== at.position.seq + 1) {
        yield { type: 'reset' }
        return false
      }
      at.position.seq = event.seq
      yield event
    }
    if (events.length < replayBatch) return true
  }
  return false
}

async function* drain(
  database: Kysely<ThreadTables>,
  at: Position & { live: LiveReader },
): AsyncGenerator<ThreadEvent, boolean> {
  const { events, hasLost } = at.live.take()
  if (hasLost) return yield* replay(database, at)
  for (const event of events) {
    if (at.signal.aborted) return false
    if (!('seq' in event)) yield event
    else if (event.seq === at.position.seq + 1) {
      at.position.seq = event.seq
      yield event
    } else if (event.seq > at.position.seq && !(yield* replay(database, at))) return false
  }
  return true
}

async function prune(database: Kysely<ThreadTables>, threadId: string): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    const thread = await lastSeqOf(transaction, threadId)
    const upToSeq = thread.last_seq - keptEvents
    if (upToSeq <= thread.pruned_seq) return
    await settleDeltas(transaction, { threadId, upToSeq })
    await transaction
      .deleteFrom('thread_events')
      .where('thread_id', '=', threadId)
      .where('seq', '<=', upToSeq)
      .execute()
    await transaction.updateTable('threads').set({ pruned_seq: upToSeq }).where('id', '=', threadId).execute()
  })
}
