import type { ThreadRow } from './threads.table.ts'

/** What areas above read of a thread. */
export type ThreadRows = {
  /** Whoever's it is, also one whose undo time runs. */
  findAny(threadId: string): Promise<ThreadRow | undefined>
  /** The turn that runs, or the last one that ran. */
  lastTurnId(threadId: string): Promise<string | undefined>
}
