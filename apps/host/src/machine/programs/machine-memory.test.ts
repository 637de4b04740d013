import { expect, test } from 'vitest'
import { withoutReturning } from './machine-memory.ts'

const memory = { totalBytes: 24_000, availableBytes: 2000 }

test('a tenth of what compressed memory grows by is kept free for sandboxes that continue', () => {
  const compressed = { state: 'possible', heldBytes: 12_000, storedBytes: 4000, maySwapRunning: false } as const
  expect(withoutReturning(memory, compressed)).toEqual({ totalBytes: 24_000, availableBytes: 1200 })
  expect(withoutReturning({ ...memory, availableBytes: 700 }, compressed).availableBytes).toBe(0)
})

test('without compressed memory all that is available can be used', () => {
  expect(withoutReturning(memory, { state: 'off' })).toEqual(memory)
  const empty = { state: 'possible', heldBytes: 0, storedBytes: 4096, maySwapRunning: true } as const
  expect(withoutReturning(memory, empty)).toEqual(memory)
})
