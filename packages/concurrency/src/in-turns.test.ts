import { expect, test } from 'vitest'
import { inTurns } from './in-turns.ts'

/** Far more than fit into one turn; the last one is false. */
async function* many() {
  for (let left = 10_000_000; left >= 0; left -= 1) yield left > 0
}

test('everything else has its turn while a stream without end is read', async () => {
  let hadTurn = false
  setImmediate(() => {
    hadTurn = true
  })
  let isMore = true
  for await (isMore of inTurns(many())) if (hadTurn) break
  expect(isMore).toBe(true)
})

test('all values arrive in their order, and an error as it is', async () => {
  const failure = new Error('broken')
  async function* broken() {
    yield* [1, 2, 3]
    throw failure
  }
  const got: number[] = []
  const read = async () => {
    for await (const value of inTurns(broken())) got.push(value)
  }
  await expect(read()).rejects.toBe(failure)
  expect(got).toEqual([1, 2, 3])
})
