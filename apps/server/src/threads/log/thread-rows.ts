import type { ThreadRow } from './threads.table.ts'

/** What areas above read of a thread. */
export type ThreadRows = {
  /** Finds a thread of any owner, also a deleted one until its undo time is over. */
  findAny(threadId: string): Promise<ThreadRow | undefined>
  /** The creator of each thread, also of deleted ones until their undo time is over. */
  creators(): Promise<ReadonlyMap<string, string>>
  /** The running turn, otherwise the last one. */
  lastTurnId(threadId: string): Promise<string | undefined>
}
