import { runs } from '@threadbox/protocol/guest'
import { expect, test } from 'vitest'
import { isVerdictOn, makeVerdicts, type Verdict } from './verdicts.ts'

const verdict: Verdict = {
  cause: runs.EndCause.OUT_OF_MEMORY,
  words: 'python3 was ended',
  at: 1000,
  pids: new Set([21]),
  marks: new Set(['first']),
  sessions: new Set([10]),
  ancestors: new Set([10]),
}

test('the next command of the same shell is not blamed for the one that was ended', () => {
  expect(isVerdictOn(verdict, { root: 10, mark: 'first' })).toBe(true)
  expect(isVerdictOn(verdict, { root: 10, mark: 'second' })).toBe(false)
})

test('a process without a mark is known by its origin', () => {
  const unmarked = { ...verdict, marks: new Set<string>() }
  expect(isVerdictOn(unmarked, { root: 10, mark: 'first' })).toBe(true)
  expect(isVerdictOn(unmarked, { root: 21, mark: undefined })).toBe(true)
  expect(isVerdictOn(unmarked, { root: 11, mark: 'second' })).toBe(false)
})

test('what cannot be traced is reported to everything that was running', () => {
  const verdicts = makeVerdicts()
  verdicts.add({ ...verdict, isUntraceable: true })
  expect(verdicts.take({ root: 99, mark: 'other' }, 1001)).toBeUndefined()
  expect(verdicts.take({ root: 99, mark: 'other' }, 900)).toBeDefined()
})

test('a termination is reported once, and only to what was running when it was recorded', () => {
  const verdicts = makeVerdicts()
  verdicts.add(verdict)
  expect(verdicts.take({ root: 10, mark: undefined }, 1001)).toBeUndefined()
  expect(verdicts.take({ root: 10, mark: undefined }, 900)).toBe(verdict)
  expect(verdicts.take({ root: 10, mark: undefined }, 900)).toBeUndefined()
})
