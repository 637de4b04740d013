import { expect, test } from 'vitest'
import { type Bucket, taken } from './token-bucket.logic.ts'

const rate = { perSecond: 2, burst: 4 }

test('a burst is allowed, then as many requests as tokens come back, and the wait is exact', () => {
  let bucket: Bucket | undefined
  const waits: number[] = []
  const take = (nowMs: number) => {
    const result = taken(bucket, rate, nowMs)
    bucket = result.bucket
    waits.push(result.waitMs)
  }
  for (let index = 0; index < 5; index += 1) take(1000)
  expect(waits.splice(0)).toEqual([0, 0, 0, 0, 500])
  take(1250)
  take(1500)
  take(1500)
  expect(waits.splice(0)).toEqual([250, 0, 500])
  for (let index = 0; index < 5; index += 1) take(100_000)
  expect(waits).toEqual([0, 0, 0, 0, 500])
})

test('a clock that goes back takes nothing away', () => {
  const { bucket } = taken(undefined, rate, 5000)
  expect(taken(bucket, rate, 1000)).toEqual({ bucket: { tokens: 2, atMs: 1000 }, waitMs: 0 })
})
