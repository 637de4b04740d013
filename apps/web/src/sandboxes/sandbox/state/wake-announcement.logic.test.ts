import type { Entry, SurvivalReport, ThreadState } from '@threadbox/sdk'
import { expect, test } from 'vitest'
import { wakeToAnnounce } from './wake-announcement.logic.ts'

const wake = (id: string, status: SurvivalReport['status'], at = 10): Entry => {
  const report: SurvivalReport = {
    id,
    threadId: 't',
    from: 'memory',
    cause: null,
    pausedAt: 0,
    wokenAt: at,
    checkedAt: at,
    wakeMs: 300,
    status,
    counts: {},
    items: [],
  }
  return { id, turnId: '', at, kind: 'wake', report }
}
const message: Entry = {
  id: 'm',
  turnId: 't1',
  at: 5,
  kind: 'user-message',
  text: 'hello',
  attachments: [],
  status: 'delivered',
}
const stateOf = (...entries: Entry[]): ThreadState => ({
  entries,
  turns: {},
  lastSeq: 1,
  before: null,
  isStale: false,
})

test('a wake is announced once, when its report is complete', () => {
  const [none, checking, complete] = [
    stateOf(message),
    stateOf(message, wake('w', 'checking')),
    stateOf(message, wake('w', 'complete')),
  ]
  expect(wakeToAnnounce(none, checking)).toBeUndefined()
  expect(wakeToAnnounce(checking, complete)?.id).toBe('w')
  expect(wakeToAnnounce(none, complete)?.id).toBe('w')
  expect(wakeToAnnounce(complete, complete)).toBeUndefined()
})

test('opening a thread and loading older pages announce nothing', () => {
  expect(wakeToAnnounce(null, stateOf(message, wake('w', 'complete')))).toBeUndefined()
  expect(wakeToAnnounce(stateOf(message), stateOf(wake('old', 'complete', 1), message))).toBeUndefined()
})
