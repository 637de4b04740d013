import { expect, test } from 'vitest'
import { waitAtMost } from './wait-at-most.ts'

/** Longer than any test can take: something else must end the wait. */
const forever = 2 ** 30

test('a wait ends with the work, also when that fails', async () => {
  expect(await waitAtMost(forever, { work: Promise.resolve() })).toBe('done')
  expect(await waitAtMost(forever, { work: Promise.reject(new Error('failed')) })).toBe('done')
})

test('a wait ends when it is aborted, and does not begin when it was aborted before', async () => {
  const controller = new AbortController()
  const wait = waitAtMost(forever, { signal: controller.signal })
  controller.abort()
  expect(await wait).toBe('aborted')
  expect(await waitAtMost(forever, { signal: controller.signal })).toBe('aborted')
})

test('a wait ends when its time is over', async () => {
  const { promise } = Promise.withResolvers<void>()
  expect(await waitAtMost(1, { work: promise, signal: new AbortController().signal })).toBe('late')
  expect(await waitAtMost(1)).toBe('late')
})
