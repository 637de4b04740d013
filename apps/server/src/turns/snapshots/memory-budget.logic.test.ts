import { checkProperty } from '@threadbox/testkit/properties'
import { array, constantFrom, integer, property, record } from 'fast-check'
import { expect, test } from 'vitest'
import { budgetWaitMs, hourMs, type MemoryWrite } from './memory-budget.logic.ts'

const limits = { threadBytes: 100, bytes: 250 }
const waitOf = (writes: MemoryWrite[], bytes: number, threadId = 'a') =>
  budgetWaitMs({ writes, wanted: { threadId, bytes }, limits, now: hourMs })
const write = (threadId: string, at: number, bytes: number) => ({ threadId, at, bytes })

test('memory waits until enough of its thread’s last hour has passed', () => {
  expect(waitOf([], 100)).toBe(0)
  expect(waitOf([write('a', 10, 60)], 40)).toBe(0)
  expect(waitOf([write('a', 10, 60)], 41)).toBe(10)
  expect(waitOf([write('a', 10, 60), write('a', 20, 40)], 90)).toBe(20)
})

test('threads share the limit of the installation, and not that of one another', () => {
  const others = [write('b', 10, 100), write('c', 20, 100)]
  expect(waitOf(others, 50)).toBe(0)
  expect(waitOf(others, 51)).toBe(10)
})

test('memory larger than a limit is saved once nothing else was for an hour', () => {
  expect(waitOf([], 1000)).toBe(0)
  expect(waitOf([write('a', 10, 1)], 1000)).toBe(10)
})

test('with saves at any time, no hour has more than the limits, unless one alone is larger', () =>
  checkProperty(
    'memory-budget',
    property(
      array(
        record({
          threadId: constantFrom('a', 'b'),
          afterMs: integer({ min: 0, max: hourMs }),
          bytes: integer({ min: 1, max: 90 }),
        }),
        {
          maxLength: 30,
        },
      ),
      (requests) => {
        const writes: MemoryWrite[] = []
        let now = 0
        for (const { threadId, afterMs, bytes } of requests) {
          now += afterMs
          const recent = writes.filter(({ at }) => at > now - hourMs)
          now += budgetWaitMs({ writes: recent, wanted: { threadId, bytes }, limits, now })
          writes.push({ threadId, at: now, bytes })
        }
        for (const { at: end } of writes) {
          const inHour = writes.filter(({ at }) => at > end - hourMs && at <= end)
          const ofA = inHour.filter(({ threadId }) => threadId === 'a')
          expect(inHour.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(limits.bytes)
          expect(ofA.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(limits.threadBytes)
        }
      },
    ),
    { runs: 300 },
  ))
