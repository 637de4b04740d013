import { expect, test } from 'vitest'
import { reconnectDelays } from './grant-pushes.ts'

test('O11: a broker that is away is asked again soon at first, and then once a second', () => {
  expect([0, 1].map(reconnectDelays)).toEqual([50, 50])
  expect([5, 6, 1000].map(reconnectDelays)).toEqual([1000, 1000, 1000])
})
