import type { ForkedFrom } from '@threadbox/protocol/public'
import type { ToldNote, TurnRecord } from '../../turns/public.ts'
import { forkNoteOf } from '../forks/fork-note.ts'
import { rewindNoteOf } from './rewind-note.ts'

/** Stored with turns: codes are never renamed. */
type HistoryNote = ToldNote & { code: 'forked' | 'rewound' }

/**
 * The notes about the origin of this conversation for the message after `turns`. Each note is sent once, with the first
 * message after the event, as long as that message is in the conversation.
 */
export function historyNotes(history: {
  turns: readonly Pick<TurnRecord, 'startedAt' | 'noteCodes'>[]
  forkedFrom: ForkedFrom | null
  rewound: { at: number; cameBack: 'memory' | 'disk' } | null
}): HistoryNote[] {
  const { turns, forkedFrom, rewound } = history
  const unlessSent = (note: HistoryNote, since: number) =>
    turns.some(({ startedAt, noteCodes }) => startedAt >= since && noteCodes.includes(note.code)) ? [] : [note]
  return [
    ...(forkedFrom === null ? [] : unlessSent({ code: 'forked', text: forkNoteOf(forkedFrom) }, forkedFrom.at)),
    ...(rewound === null ? [] : unlessSent({ code: 'rewound', text: rewindNoteOf(rewound.cameBack) }, rewound.at)),
  ]
}
