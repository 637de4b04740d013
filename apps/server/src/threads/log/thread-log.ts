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
 * The record of a conversation and its only writer. Nothing is shown that was not recorded first: {@link append}
 * returns after the changes are durable, and only then do readers of {@link read} get them.
 */
export type ThreadLog = {
  /**
   * Records changes in order, in one transaction, together with what `alongside` writes (rows of the caller's own
   * tables that must stand or fall with them). Throws `thread.not-found` when the thread is gone.
   */
  append(
    threadId: string,
    changes: readonly ThreadChange[],
    alongside?: (transaction: LogTransaction) => Promise<void>,
  ): Promise<void>
  /** Shows the live output of a running call. Not recorded: whoever reads later gets it from the output store. */
  showOutput(threadId: string, event: Extract<ThreadEvent, { type: 'output-appended' }>): void
  /** Recorded events after `afterSeq`, then live ones until aborted. Begins with `reset` when they are gone. */
  read(threadId: string, options: { afterSeq: number; signal: AbortSignal }): AsyncIterable<ThreadEvent>
  page(threadId: string, options: { before: string | null; limit: number }): Promise<EntriesPage>
  entry(threadId: string, entryId: string): Promise<Entry | undefined>
  /** All entries of the thread in order, oldest first; what the model's history is made from. */
  entries(threadId: string): Promise<Entry[]>
  /** Those that belong to one turn. */
  entriesOfTurn(threadId: string, turnId: string): Promise<Entry[]>
  turn(threadId: string, turnId: string): Promise<Turn | undefined>
  /** Drops the recorded text deltas of ended turns; their entries hold the whole text. */
  prune(threadId: string): Promise<void>
}

/** The Kysely transaction of the server's database; typed loosely here so that features do not share tables. */
export type LogTransaction = import('kysely').Transaction<never>
