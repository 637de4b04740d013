import type { ForkedFrom } from '@threadbox/protocol/public'
import { expect, test } from 'vitest'
import { forkNoteOf } from '../forks/fork-note.ts'
import { historyNote } from './history-note.models.ts'
import { rewindNoteOf } from './rewind-note.ts'

const forkedFrom: ForkedFrom = { threadId: 't', turnId: 'u', at: 100, from: 'memory', turns: 1 }
const forkNote = forkNoteOf(forkedFrom)
const nothing = { forkedFrom: null, rewound: null }
const [cold, whole] = [rewindNoteOf('disk'), rewindNoteOf('memory')]

test('a thread with nothing behind it has no note', () => {
  expect(historyNote({ turns: [], ...nothing })).toBeNull()
})

test('a fork says so with its first message, also when that is edited, and not again', () => {
  const copied = { startedAt: 50, note: null }
  expect(historyNote({ turns: [copied], forkedFrom, rewound: null })).toBe(forkNote)
  expect(historyNote({ turns: [], forkedFrom, rewound: null })).toBe(forkNote)
  const told = { startedAt: 150, note: `${forkNote}\n\nmore` }
  expect(historyNote({ turns: [copied, told], forkedFrom, rewound: null })).toBeNull()
})

test('the note that the source of a fork had does not stand for that of the fork', () => {
  const copied = { startedAt: 50, note: forkNote }
  expect(historyNote({ turns: [copied], forkedFrom, rewound: null })).toBe(forkNote)
})

test('a rewind is told with the first message after it, and whether what ran then runs', () => {
  const rewound = { at: 20, cameBack: 'disk' as const }
  const earlier = { startedAt: 10, note: cold }
  expect(historyNote({ turns: [earlier], forkedFrom: null, rewound })).toBe(cold)
  expect(historyNote({ turns: [{ startedAt: 30, note: cold }], forkedFrom: null, rewound })).toBeNull()
  expect(historyNote({ turns: [], forkedFrom, rewound: { at: 200, cameBack: 'memory' } })).toBe(
    `${forkNote}\n\n${whole}`,
  )
  expect(cold).toContain('variables are gone')
  expect(whole).not.toContain('gone')
})
