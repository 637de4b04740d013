import type { ForkedFrom } from '@threadbox/protocol/public'
import { expect, test } from 'vitest'
import { forkNoteOf } from '../forks/fork-note.ts'
import { historyNotes } from './history-note.logic.ts'
import { rewindNoteOf } from './rewind-note.ts'

const forkedFrom: ForkedFrom = { threadId: 't', turnId: 'u', at: 100, from: 'memory', turns: 1 }
const forked = { code: 'forked', text: forkNoteOf(forkedFrom) }
const nothing = { forkedFrom: null, rewound: null }
const [cold, whole] = [rewindNoteOf('disk'), rewindNoteOf('memory')]

test('a thread that was neither forked nor rewound has no note', () => {
  expect(historyNotes({ turns: [], ...nothing })).toEqual([])
})

test('a fork has its note with its first message, also when that is edited, and not again', () => {
  const copied = { startedAt: 50, noteCodes: [] }
  expect(historyNotes({ turns: [copied], forkedFrom, rewound: null })).toEqual([forked])
  expect(historyNotes({ turns: [], forkedFrom, rewound: null })).toEqual([forked])
  const told = { startedAt: 150, noteCodes: ['forked', 'other'] }
  expect(historyNotes({ turns: [copied, told], forkedFrom, rewound: null })).toEqual([])
})

test('the note of the fork’s source does not replace the note of the fork', () => {
  const copied = { startedAt: 50, noteCodes: ['forked'] }
  expect(historyNotes({ turns: [copied], forkedFrom, rewound: null })).toEqual([forked])
})

test('the first message after a rewind has a note, which says whether memory came back', () => {
  const rewound = { at: 20, cameBack: 'disk' as const }
  const earlier = { startedAt: 10, noteCodes: ['rewound'] }
  const note = { code: 'rewound', text: cold }
  expect(historyNotes({ turns: [earlier], forkedFrom: null, rewound })).toEqual([note])
  const told = { startedAt: 30, noteCodes: ['rewound'] }
  expect(historyNotes({ turns: [told], forkedFrom: null, rewound })).toEqual([])
  expect(historyNotes({ turns: [], forkedFrom, rewound: { at: 200, cameBack: 'memory' } })).toEqual([
    forked,
    { code: 'rewound', text: whole },
  ])
  expect(cold).toContain('variables are gone')
  expect(whole).not.toContain('gone')
})
