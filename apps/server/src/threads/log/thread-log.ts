import type { Display, EntriesPage, Entry, ThreadEvent, Turn } from '@threadbox/protocol/public'

/** One change to a conversation. The log gives it its sequence number. */
export type ThreadChange =
  | { type: 'entry-added'; entry: Entry }
  | { type: 'entry-updated'; entry: Entry }
  | { type: 'entry-removed'; entryId: string }
  | { type: 'text-appended'; entryId: string; offset: number; text: string }
  | { type: 'display-added'; entryId: string; display: Display }
  | { type: 'turn-updated'; turn: Turn }

/**
 * The record of a conversation and its only writer. Nothing is shown before it is recorded: {@link append} returns when
 * the changes are durable, and only then do readers of {@link read} get them.
 */
export type ThreadLog = {
  /**
   * Records changes in order and in one transaction, together with the writes of `alongside` (rows of the caller's own
   * tables that must be written with them or not at all). Throws `thread.not-found` when the thread doesn't exist.
   */
  append(
    threadId: string,
    changes: readonly ThreadChange[],
    alongside?: (transaction: LogTransaction) => Promise<void>,
  ): Promise<void>
  /**
   * The same for changes that can wait: they are recorded and shown with the next ones of this thread, before those, or alone
   * after a second. Resolves when they are recorded. A crash before that loses them: the caller can make them again.
   */
  appendSoon(
    threadId: string,
    changes: readonly ThreadChange[],
    alongside?: (transaction: LogTransaction) => Promise<void>,
  ): Promise<void>
  /** Records now what `appendSoon` has taken for this thread. */
  recordWaiting(threadId: string): Promise<void>
  /** Shows the live output of a running call. It isn't recorded: later readers get it from the output store. */
  showOutput(threadId: string, event: Extract<ThreadEvent, { type: 'output-appended' }>): void
  /**
   * Recorded events after `afterSeq`, then live ones until aborted. Begins with `reset` when they are no longer kept.
   */
  read(threadId: string, options: { afterSeq: number; signal: AbortSignal }): AsyncIterable<ThreadEvent>
  page(threadId: string, options: { before: string | null; limit: number }): Promise<EntriesPage>
  entry(threadId: string, entryId: string): Promise<Entry | undefined>
  /** All entries of the thread in order, oldest first. The model's history is built from them. */
  entries(threadId: string): Promise<Entry[]>
  /** The entries of one turn. */
  entriesOfTurn(threadId: string, turnId: string): Promise<Entry[]>
  turn(threadId: string, turnId: string): Promise<Turn | undefined>
  /** Deletes the recorded text deltas of ended turns; their entries have the complete text. */
  prune(threadId: string): Promise<void>
}

/** The Kysely transaction of the server's database, typed loosely so that features don't share tables. */
export type LogTransaction = import('kysely').Transaction<never>
