import { beforeEach, expect, test } from 'vitest'
import { makeNamesLog, type NamesLog } from './names-asked.logic.ts'

let clock = 0
let log: NamesLog
beforeEach(() => {
  clock = 1000
  log = makeNamesLog(() => clock)
})

test('lookups are unknown before `begin` and after `forget`', () => {
  log.note('one', 'example.com')
  expect(log.since('one', 0)).toBeUndefined()
  log.begin('one')
  log.forget('one')
  expect(log.since('one', 0)).toBeUndefined()
})

test('names are counted since a given time, per sandbox, with the time since when lookups are known', () => {
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

test('`isAtLeast` marks a count only for times in which lookups were forgotten', () => {
  log.begin('one')
  for (let index = 0; index < 250; index += 1) {
    clock += 1
    log.note('one', 'often.example')
  }
  const namesSince = (sinceMs: number) => log.since('one', sinceMs)?.names
  expect(namesSince(0)).toEqual([{ name: 'often.example', count: 100, isAtLeast: true }])
  expect(namesSince(1150)).toEqual([{ name: 'often.example', count: 100, isAtLeast: true }])
  expect(namesSince(1151)).toEqual([{ name: 'often.example', count: 100, isAtLeast: false }])
  expect(namesSince(1200)).toEqual([{ name: 'often.example', count: 51, isAtLeast: false }])
})

test('beyond 200 names the oldest are forgotten, which shortens the known time; characters that names cannot have are replaced', () => {
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
