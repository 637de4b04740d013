import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { afterAwake } from './awake-time.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

test('an awake timer fires once, when its time has passed', () => {
  const fired = vi.fn()
  afterAwake(2_500, fired)
  vi.advanceTimersByTime(2_400)
  expect(fired).not.toHaveBeenCalled()
  vi.advanceTimersByTime(200)
  expect(fired).toHaveBeenCalledTimes(1)
})

test('C5: three weeks of sleep do not count for an awake timer', () => {
  const fired = vi.fn()
  afterAwake(10_000, fired)
  vi.advanceTimersByTime(500)
  // The clock has jumped when the sleeper's timer fires; everything before was a single piece of a second.
  vi.spyOn(performance, 'now').mockReturnValueOnce(21 * 86_400_000)
  vi.advanceTimersByTime(500)
  vi.advanceTimersByTime(6_000)
  expect(fired).not.toHaveBeenCalled()
  vi.advanceTimersByTime(3_000)
  expect(fired).toHaveBeenCalledTimes(1)
})

test('a canceled awake timer does not fire', () => {
  const fired = vi.fn()
  afterAwake(1_500, fired).cancel()
  const later = afterAwake(3_500, fired)
  vi.advanceTimersByTime(2_500)
  later.cancel()
  vi.advanceTimersByTime(10_000)
  expect(fired).not.toHaveBeenCalled()
})
