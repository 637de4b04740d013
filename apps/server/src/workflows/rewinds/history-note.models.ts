import type { ForkedFrom } from '@threadbox/protocol/public'
import type { TurnRecord } from '../../turns/public.ts'
import { forkNoteOf } from '../forks/fork-note.ts'
import { rewindNoteOf } from './rewind-note.ts'

/**
 * What the model does not know yet of how this conversation came about, for the message after `turns`; null: nothing. It
 * was told with the first message that was sent after it, for as long as that is in the conversation.
 */
export function historyNote(history: {
  turns: readonly Pick<TurnRecord, 'startedAt' | 'note'>[]
  forkedFrom: ForkedFrom | null
  rewound: { at: number; cameBack: 'memory' | 'disk' } | null
}): string | null {
  const { turns, forkedFrom, rewound } = history
  const isTold = (text: string, since: number) =>
    turns.some(({ startedAt, note }) => startedAt >= since && note !== null && note.includes(text))
  const notes: string[] = []
  if (forkedFrom !== null) {
    const text = forkNoteOf(forkedFrom)
    if (!isTold(text, forkedFrom.at)) notes.push(text)
  }
  if (rewound !== null) {
    const text = rewindNoteOf(rewound.cameBack)
    if (!isTold(text, rewound.at)) notes.push(text)
  }
  return notes.length === 0 ? null : notes.join('\n\n')
}
