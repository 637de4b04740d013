import { expect, test } from 'vitest'
import { waitAtMost } from './wait-at-most.ts'

/** Longer than any test may take: what ends it must be something else. */
const forEver = 2 ** 30

test('a wait ends with the work, also when that fails', async () => {
  expect(await waitAtMost(forEver, { work: Promise.resolve() })).toBe('done')
  expect(await waitAtMost(forEver, { work: Promise.reject(new Error('failed')) })).toBe('done')
})

test('a wait ends when it is aborted, and does not begin when it was aborted before', async () => {
  const controller = new AbortController()
  const wait = waitAtMost(forEver, { signal: controller.signal })
  controller.abort()
  expect(await wait).toBe('aborted')
  expect(await waitAtMost(forEver, { signal: controller.signal })).toBe('aborted')
})

test('a wait ends when its time is over', async () => {
  const { promise } = Promise.withResolvers<void>()
  expect(await waitAtMost(1, { work: promise, signal: new AbortController().signal })).toBe('late')
  expect(await waitAtMost(1)).toBe('late')
})
