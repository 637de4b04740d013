import { beforeEach, expect, test } from 'vitest'
import { makeNamesLog, type NamesLog } from './names-asked.models.ts'

let clock = 0
let log: NamesLog
beforeEach(() => {
  clock = 1000
  log = makeNamesLog(() => clock)
})

test('a sandbox that is not heard, or not any more, has asked nothing that is known', () => {
  log.note('one', 'example.com')
  expect(log.since('one', 0)).toBeUndefined()
  log.begin('one')
  log.forget('one')
  expect(log.since('one', 0)).toBeUndefined()
})

test('names are counted from a moment on, each sandbox for itself, and it is said since when that is known', () => {
  log.begin('one')
  log.begin('two')
  for (const [at, name] of [
    [1001, 'early.example'],
    [1002, 'Example.com.'],
    [1003, 'example.com'],
  ] as const) {
    clock = at
    log.note('one', name)
  }
  log.begin('one')
  expect(log.since('one', 1002)).toEqual({
    knownSince: 1000,
    names: [{ name: 'example.com', count: 2, isAtLeast: false }],
  })
  expect(log.since('one', 0)?.names).toHaveLength(2)
  expect(log.since('two', 0)).toEqual({ knownSince: 1000, names: [] })
})

test('of a name that was asked for more often than is remembered it is said that there was more, but not of a time in which it was not', () => {
  log.begin('one')
  for (let index = 0; index < 250; index += 1) {
    clock += 1
    log.note('one', 'often.example')
  }
  const told = (sinceMs: number) => log.since('one', sinceMs)?.names
  expect(told(0)).toEqual([{ name: 'often.example', count: 100, isAtLeast: true }])
  expect(told(1150)).toEqual([{ name: 'often.example', count: 100, isAtLeast: true }])
  expect(told(1151)).toEqual([{ name: 'often.example', count: 100, isAtLeast: false }])
  expect(told(1200)).toEqual([{ name: 'often.example', count: 51, isAtLeast: false }])
})

test('of too many names the oldest go, and then less long is known; a name that is no name cannot be read as something else', () => {
  log.begin('one')
  for (let index = 0; index < 201; index += 1) {
    clock += 1
    log.note('one', `n${index}.example`)
  }
  expect(log.since('one', 0)?.names).toHaveLength(200)
  expect(log.since('one', 0)?.knownSince).toBe(1002)
  log.note('one', 'a b\u202e.<example>')
  expect(log.since('one', clock)?.names.map(({ name }) => name)).toContain('a?b?.?example?')
})
