import { expect, test } from 'vitest'
import type { MachineSampleRow } from './machine.table.ts'
import { growthOf, historyOf, slotMs } from './machine-history.logic.ts'

const GB = 1e9
const dayMs = 24 * 3_600_000
const start = Date.parse('2026-11-30T00:00:00Z')

function sample(index: number, values: Partial<MachineSampleRow> = {}): MachineSampleRow {
  const counters = { busy_ms: index * 300_000, received: index * 3_000_000, sent: index * 300_000 }
  const sizes = { memory_total: 8 * GB, memory_used: 4 * GB, memory_sandboxes: GB, disk_total: 100 * GB }
  const rest = { disk_used: 10 * GB, processors: 2, awake: 3, waiting: 0 }
  return { at: start + index * slotMs, ...counters, ...sizes, ...rest, ...values }
}

test('processors and network are rates between two measurements', () => {
  const { points } = historyOf([sample(0), sample(1)], { span: 'day', now: start + slotMs })
  expect(points.map(({ cpuShare }) => cpuShare)).toEqual([null, 0.5])
  expect(points[1]).toMatchObject({ receivedPerSecond: 10_000, sentPerSecond: 1000, awake: 3 })
})

test('a counter that started again, or a long gap, has no rate', () => {
  const restarted = sample(2, { busy_ms: 5, received: 5 })
  const late = sample(9)
  const { points } = historyOf([sample(1), restarted, late], { span: 'day', now: late.at })
  expect(points.map(({ cpuShare }) => cpuShare)).toEqual([null, null, null])
  expect(points[1]?.receivedPerSecond).toBeNull()
})

test('a month has means of two hours', () => {
  const samples = Array.from({ length: 48 }, (_, index) => sample(index, { awake: index % 2 === 0 ? 2 : 4 }))
  const { points, stepMs } = historyOf(samples, { span: 'month', now: start + dayMs })
  expect([points.length, stepMs]).toEqual([2, 7_200_000])
  expect(points[0]).toMatchObject({ awake: 3, cpuShare: 0.5 })
})

test('growth is the slope of a week, with the day on which the pool is full', () => {
  const samples = Array.from({ length: 289 }, (_, index) =>
    sample(index, { disk_used: Math.round(10 * GB + (index / 288) * GB) }),
  )
  const { bytesPerDay, fullAt } = growthOf(samples)
  expect(bytesPerDay).toBeCloseTo(GB, -3)
  expect(((fullAt ?? 0) - start) / dayMs).toBeCloseTo(90, 1)
})

test('growth needs a day of measurements, and a pool that shrinks is never full', () => {
  expect(growthOf([sample(0), sample(200)])).toEqual({ bytesPerDay: null, fullAt: null })
  const shrinking = [sample(0), sample(288, { disk_used: 9 * GB })]
  expect(growthOf(shrinking)).toEqual({ bytesPerDay: -GB, fullAt: null })
  expect(growthOf([])).toEqual({ bytesPerDay: null, fullAt: null })
})
