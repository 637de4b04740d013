import type { Entry, ThreadEvent } from '@threadbox/protocol/public'
import { applyThreadEvent } from '@threadbox/protocol/public/thread-state'

type RecordedEvent = Extract<ThreadEvent, { seq: number }>

/** An entry brought forward by the deltas recorded after its row was written: the same fold that browsers use. */
export function withDeltas(entry: Entry, deltas: readonly RecordedEvent[]): Entry {
  let folded = entry
  for (const event of deltas) {
    const state = { entries: [folded], turns: {}, lastSeq: event.seq - 1, before: null, isStale: false }
    folded = applyThreadEvent(state, event).entries[0] ?? folded
  }
  return folded
}

/** Whether a person who is not looking at the thread would want to know of this entry. */
export function isNews(entry: Entry): boolean {
  // Who forks a thread goes to the fork: there is nothing to come back for.
  if (entry.kind === 'notice') return entry.code !== 'forked-to'
  return entry.kind === 'text' || entry.kind === 'tool-call'
}
