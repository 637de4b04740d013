import { expect, test } from 'vitest'
import { chartPath, highest, newest } from './chart-path.ts'

const frame = { from: 0, to: 100, stepMs: 10, maximum: 50, width: 200, height: 40 }

test('measurements become a line from the left to the right, larger values further up', () => {
  const points = [0, 10, 20].map((at, index) => ({ at, value: index * 25 }))
  expect(chartPath(points, frame)).toBe('M0 40h0L20 20L40 0')
})

test('what was not measured is a gap, and a value above the maximum stays inside', () => {
  const points = [
    { at: 0, value: 0 },
    { at: 10, value: null },
    { at: 20, value: 999 },
    { at: 60, value: 50 },
  ]
  expect(chartPath(points, frame)).toBe('M0 40h0M40 0h0M120 0h0')
})

test('the highest and the newest value leave out what was not measured', () => {
  const points = [
    { at: 0, value: 7 },
    { at: 10, value: null },
  ]
  expect([highest(points), newest(points), highest([]), newest([])]).toEqual([7, null, 0, null])
})
