import { expect, test } from 'vitest'
import { isVerdictOn } from './memory-watchdog.ts'

const verdict = { pid: 21, mark: 'first', session: 10, ancestors: new Set([10]), words: 'python3 was ended' }

test('the next command of the same shell is not blamed for the one that ran out of memory', () => {
  expect(isVerdictOn(verdict, { root: 10, mark: 'first' })).toBe(true)
  expect(isVerdictOn(verdict, { root: 10, mark: 'second' })).toBe(false)
})

test('a process without a mark is known by where it came from', () => {
  const unmarked = { ...verdict, mark: undefined }
  expect(isVerdictOn(unmarked, { root: 10, mark: 'first' })).toBe(true)
  expect(isVerdictOn(unmarked, { root: 21, mark: undefined })).toBe(true)
  expect(isVerdictOn(unmarked, { root: 11, mark: 'second' })).toBe(false)
})
