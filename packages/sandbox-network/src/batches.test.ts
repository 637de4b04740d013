import { expect, test } from 'vitest'
import { makeBatches, togetherOrEach } from './batches.ts'

test('orders of the same moment, and those that arrive during others, are carried out together', async () => {
  const batches: number[][] = []
  const gate = Promise.withResolvers<void>()
  const orders = makeBatches(async (batch: number[]) => {
    batches.push(batch)
    if (batches.length === 1) await gate.promise
    return batch.map((value) => ({ status: 'fulfilled' as const, value: value * 2 }))
  })
  const first = [orders.add(1), orders.add(2)]
  await expect.poll(() => batches).toEqual([[1, 2]])
  const second = [orders.add(3), orders.add(4)]
  gate.resolve()
  expect(await Promise.all([...first, ...second])).toEqual([2, 4, 6, 8])
  expect(batches).toEqual([
    [1, 2],
    [3, 4],
  ])
  await orders.settled()
})

test('one batch has at most 64 orders', async () => {
  const sizes: number[] = []
  const orders = makeBatches(async (batch: number[]) => {
    sizes.push(batch.length)
    return batch.map((value) => ({ status: 'fulfilled' as const, value }))
  })
  await Promise.all(Array.from({ length: 100 }, (_, index) => orders.add(index)))
  expect(sizes).toEqual([64, 36])
})

test('a bad order fails alone, and the next batch runs', async () => {
  const runs: string[][] = []
  const orders = makeBatches((batch: string[]) =>
    togetherOrEach(batch, async (some) => {
      runs.push([...some])
      if (some.includes('bad')) throw new Error('refused')
    }),
  )
  const outcomes = await Promise.allSettled(['good', 'bad', 'fine'].map((order) => orders.add(order)))
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(runs).toEqual([['good', 'bad', 'fine'], ['good'], ['bad'], ['fine']])
  await orders.add('next')
})

test('a batch that cannot be run fails all its orders', async () => {
  const orders = makeBatches(async () => {
    throw new Error('no list')
  })
  const outcomes = await Promise.allSettled([orders.add(1), orders.add(2)])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})
