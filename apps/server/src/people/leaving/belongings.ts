import type { BelongingsCounts, PersonalNames } from '@threadbox/protocol/public'

/** What goes from one person to another: everything of theirs, or only these threads. */
export type HandOverOrder = { from: string; to: string; threadIds: 'all' | readonly string[] }

/**
 * What one feature stores of people who leave. Each step runs again after a crash, so doing it twice, or for a person who
 * has nothing, must succeed. First all features revoke, then all hand over; first all release, then all erase, in
 * reverse order.
 */
export type LeavingPart = {
  counts?(userId: string): Promise<Partial<BelongingsCounts>>
  /** Names of what never goes to another person. */
  personal?(userId: string): Promise<Partial<PersonalNames>>
  /** Ends the use of what is personal in what is handed over. */
  revoke?(order: HandOverOrder): Promise<void>
  handOver?(order: HandOverOrder): Promise<void>
  /** Gives what belongs to a workspace with others to its owner, before the person’s row takes it along. */
  release?(userId: string): Promise<void>
  /** Deletes what is the person’s. */
  erase?(userId: string): Promise<void>
}
