import type { ForkedFrom } from '@threadbox/protocol/public'
import { expect, test } from 'vitest'
import { forkNoteOf } from '../forks/fork-note.ts'
import { historyNote } from './history-note.models.ts'
import { rewindNote } from './rewind-note.ts'

const forkedFrom: ForkedFrom = { threadId: 't', turnId: 'u', at: 100, from: 'memory', turns: 1 }
const forkNote = forkNoteOf(forkedFrom)
const nothing = { forkedFrom: null, rewoundAt: null }

test('a thread with nothing behind it has no note', () => {
  expect(historyNote({ turns: [], ...nothing })).toBeNull()
})

test('a fork says so with its first message, also when that is edited, and not again', () => {
  const copied = { startedAt: 50, note: null }
  expect(historyNote({ turns: [copied], forkedFrom, rewoundAt: null })).toBe(forkNote)
  expect(historyNote({ turns: [], forkedFrom, rewoundAt: null })).toBe(forkNote)
  const told = { startedAt: 150, note: `${forkNote}\n\nmore` }
  expect(historyNote({ turns: [copied, told], forkedFrom, rewoundAt: null })).toBeNull()
})

test('the note that the source of a fork had does not stand for that of the fork', () => {
  const copied = { startedAt: 50, note: forkNote }
  expect(historyNote({ turns: [copied], forkedFrom, rewoundAt: null })).toBe(forkNote)
})

test('a rewind is told with the first message after it', () => {
  const earlier = { startedAt: 10, note: rewindNote }
  expect(historyNote({ turns: [earlier], forkedFrom: null, rewoundAt: 20 })).toBe(rewindNote)
  expect(historyNote({ turns: [{ startedAt: 30, note: rewindNote }], forkedFrom: null, rewoundAt: 20 })).toBeNull()
  expect(historyNote({ turns: [], forkedFrom, rewoundAt: 200 })).toBe(`${forkNote}\n\n${rewindNote}`)
})
