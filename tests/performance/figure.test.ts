import { expect, test } from 'vitest'
import { type Figure, percentile, rowOf } from './figure.ts'

const figure: Figure = {
  id: 'x',
  title: 'X',
  unit: 'ms',
  samples: [10, 30, 20],
  floorSamples: [10],
  floorTitle: 'bare',
  target: { maxRatio: 1.5 },
}

test('a figure whose ratio to its floor is over the target is missed', () => {
  expect(rowOf(figure)).toMatchObject({ value: 20, floor: 10, ratio: 2, isMet: false, target: 'ratio ≤ 1.5' })
})

test('a figure without samples never meets a target', () => {
  expect(rowOf({ ...figure, samples: [] }).isMet).toBe(false)
})

test('a figure within its target is met', () => {
  expect(rowOf({ ...figure, target: { maxRatio: 2, maxP50: 20 } }).isMet).toBe(true)
})

test('the median of an even number of samples is the lower middle one', () => {
  expect(percentile([4, 1, 3, 2], 0.5)).toBe(2)
  expect(percentile([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0.95)).toBe(10)
})

test('an aim is shown, and is not a target', () => {
  expect(rowOf({ ...figure, target: null, aimP50: 20 })).toMatchObject({ isMet: true, aim: 'p50 < 20 ms: not yet' })
  expect(rowOf({ ...figure, target: null, aimP50: 21 })).toMatchObject({ isMet: true, aim: 'p50 < 21 ms: reached' })
})
