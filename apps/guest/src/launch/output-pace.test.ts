import { expect, test } from 'vitest'
import { makeOutputPace } from './output-pace.ts'

const limits = { bytesPerSecond: 1000, burstBytes: 500 }

test('a program that prints without end is read at the limit, after one burst', () => {
  const pace = makeOutputPace(limits)
  let nowMs = 0
  let read = 0
  while (nowMs < 60_000) {
    nowMs += pace.took(100, nowMs)
    read += 100
  }
  // The last piece can begin just before the end and be paid for after it.
  expect(read).toBeGreaterThanOrEqual(60_000 + 500)
  expect(read).toBeLessThanOrEqual(60_000 + 500 + 100)
})

test('a large piece is read whole and waited for afterward', () => {
  expect(makeOutputPace(limits).took(10_500, 0)).toBe(10_000)
})

test('a sleep of a day gives one burst and no more', () => {
  const pace = makeOutputPace(limits)
  expect(pace.took(500, 0)).toBe(0)
  expect(pace.took(600, 86_400_000)).toBe(100)
})

test('a program below the limit never waits', () => {
  const pace = makeOutputPace(limits)
  const waits = Array.from({ length: 1000 }, (_, index) => pace.took(90, index * 100))
  expect(waits.every((waitMs) => waitMs === 0)).toBe(true)
})
