import { expect, test } from 'vitest'
import { pLimit } from './limit.ts'

test('concurrency is limited, all run in order, and after a failure the next one runs', async () => {
  const limit = pLimit(2)
  const begun: number[] = []
  let running = 0
  let most = 0
  const work = (index: number) => async () => {
    begun.push(index)
    running += 1
    most = Math.max(most, running)
    await new Promise((resolve) => setImmediate(resolve))
    running -= 1
    if (index % 2 === 0) throw new Error(`no ${index}`)
    return index
  }
  const results = await Promise.allSettled([0, 1, 2, 3, 4].map((index) => limit(work(index))))
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled', 'rejected'])
  expect([begun, most, running]).toEqual([[0, 1, 2, 3, 4], 2, 0])
  expect(await limit(work(5))).toBe(5)
})
