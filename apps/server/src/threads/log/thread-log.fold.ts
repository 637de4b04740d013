import type { Entry, ThreadEvent } from '@threadbox/protocol/public'
import { applyThreadEvent } from '@threadbox/protocol/public/thread-state'

type RecordedEvent = Extract<ThreadEvent, { seq: number }>

/** An entry with the deltas applied that were recorded after its row was written. Browsers apply the same fold. */
export function withDeltas(entry: Entry, deltas: readonly RecordedEvent[]): Entry {
  let folded = entry
  for (const event of deltas) {
    const state = { entries: [folded], turns: {}, lastSeq: event.seq - 1, before: null, isStale: false }
    folded = applyThreadEvent(state, event).entries[0] ?? folded
  }
  return folded
}

/** Returns whether the entry makes the thread unread for an owner who isn't viewing it. */
export function isUnreadWorthy(entry: Entry): boolean {
  // A fork opens immediately, so the original thread has nothing new for the owner.
  if (entry.kind === 'notice') return entry.code !== 'forked-to'
  return entry.kind === 'text' || entry.kind === 'tool-call'
}
