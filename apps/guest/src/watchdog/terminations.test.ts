import { runs } from '@threadbox/protocol/guest'
import { expect, test } from 'vitest'
import { isTerminationOf, makeTerminations, type Termination } from './terminations.ts'

const termination: Termination = {
  cause: runs.EndCause.OUT_OF_MEMORY,
  message: 'python3 was ended',
  at: 1000,
  pids: new Set([21]),
  marks: new Set(['first']),
  sessions: new Set([10]),
  ancestors: new Set([10]),
}

test('the next command of the same shell is not blamed for the one that was ended', () => {
  expect(isTerminationOf(termination, { root: 10, mark: 'first' })).toBe(true)
  expect(isTerminationOf(termination, { root: 10, mark: 'second' })).toBe(false)
})

test('a process without a mark is known by its origin', () => {
  const unmarked = { ...termination, marks: new Set<string>() }
  expect(isTerminationOf(unmarked, { root: 10, mark: 'first' })).toBe(true)
  expect(isTerminationOf(unmarked, { root: 21, mark: undefined })).toBe(true)
  expect(isTerminationOf(unmarked, { root: 11, mark: 'second' })).toBe(false)
})

test('what cannot be traced is reported to everything that was running', () => {
  const terminations = makeTerminations()
  terminations.add({ ...termination, isUntraceable: true })
  expect(terminations.take({ root: 99, mark: 'other' }, 1001)).toBeUndefined()
  expect(terminations.take({ root: 99, mark: 'other' }, 900)).toBeDefined()
})

test('a termination is reported once, and only to what was running when it was recorded', () => {
  const terminations = makeTerminations()
  terminations.add(termination)
  expect(terminations.take({ root: 10, mark: undefined }, 1001)).toBeUndefined()
  expect(terminations.take({ root: 10, mark: undefined }, 900)).toBe(termination)
  expect(terminations.take({ root: 10, mark: undefined }, 900)).toBeUndefined()
})
