import type { ForkedFrom } from '@threadbox/protocol/public'
import type { ToldNote, TurnRecord } from '../../turns/public.ts'
import { forkNoteOf } from '../forks/fork-note.ts'
import { rewindNoteOf } from './rewind-note.ts'

/** Stored with turns: never renamed. */
type HistoryNote = ToldNote & { code: 'forked' | 'rewound' }

/**
 * What the model does not know yet of how this conversation came about, for the message after `turns`. It was told with
 * the first message that was sent after it, for as long as that is in the conversation.
 */
export function historyNotes(history: {
  turns: readonly Pick<TurnRecord, 'startedAt' | 'noteCodes'>[]
  forkedFrom: ForkedFrom | null
  rewound: { at: number; cameBack: 'memory' | 'disk' } | null
}): HistoryNote[] {
  const { turns, forkedFrom, rewound } = history
  const unlessTold = (note: HistoryNote, since: number) =>
    turns.some(({ startedAt, noteCodes }) => startedAt >= since && noteCodes.includes(note.code)) ? [] : [note]
  return [
    ...(forkedFrom === null ? [] : unlessTold({ code: 'forked', text: forkNoteOf(forkedFrom) }, forkedFrom.at)),
    ...(rewound === null ? [] : unlessTold({ code: 'rewound', text: rewindNoteOf(rewound.cameBack) }, rewound.at)),
  ]
}
