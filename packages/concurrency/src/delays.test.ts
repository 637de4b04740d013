import { expect, test } from 'vitest'
import { delaysOf } from './delays.ts'

test('each attempt has its delay, and the last delay repeats', () => {
  expect([0, 1, 2, 3, 50].map(delaysOf([250, 500, 8000]))).toEqual([250, 500, 8000, 8000, 8000])
})
