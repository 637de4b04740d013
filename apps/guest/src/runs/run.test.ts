import { runs } from '@threadbox/protocol/guest'
import { expect, test } from 'vitest'
import type { OutputLog } from './output-log.ts'
import { makeExecutionRecord, plainEnd } from './run.ts'

test('C9: texts of any length that a program ends with are cut, and say how much is missing', () => {
  const record = makeExecutionRecord({ key: 'k', log: {} as OutputLog })
  const text = `${'a'.repeat(200_000)}${'b'.repeat(5_000_000)}${'c'.repeat(200_000)}`
  record.finish({
    ...plainEnd(runs.EndCause.EXITED),
    errorName: 'N'.repeat(5000),
    errorValue: text,
    traceback: text,
    stillRunning: Array.from({ length: 300 }, () => 'x'.repeat(100_000)),
  })
  const { errorName, errorValue, traceback, stillRunning } = record.end ?? expect.unreachable()
  expect(errorName).toBe('N'.repeat(1000))
  const half = 128 * 1024
  expect(traceback).toBe(`${'a'.repeat(half)}\n[${5_400_000 - 2 * half} characters omitted]\n${'c'.repeat(half)}`)
  expect(errorValue).toBe(traceback)
  expect(stillRunning).toEqual(Array.from({ length: 100 }, () => 'x'.repeat(1000)))
})

test('an end with ordinary texts stays as it is', () => {
  const record = makeExecutionRecord({ key: 'k', log: {} as OutputLog })
  const end = { ...plainEnd(runs.EndCause.EXITED), errorName: 'E', traceback: 'line 1', stillRunning: ['sleep 1'] }
  record.finish(end)
  expect(record.end).toEqual(end)
})
