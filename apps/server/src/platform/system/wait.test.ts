import { expect, test } from 'vitest'
import { waitAtMost } from './wait.ts'

/** Longer than any test may take: what ends it must be something else. */
const forEver = 2 ** 30

test('a wait ends with the work, also when that fails', async () => {
  await expect(waitAtMost(forEver, { work: Promise.resolve() })).resolves.toBeUndefined()
  await expect(waitAtMost(forEver, { work: Promise.reject(new Error('failed')) })).resolves.toBeUndefined()
})

test('a wait ends when it is aborted, and does not begin when it was aborted before', async () => {
  const controller = new AbortController()
  const wait = waitAtMost(forEver, { signal: controller.signal })
  controller.abort()
  await expect(wait).resolves.toBeUndefined()
  await expect(waitAtMost(forEver, { signal: controller.signal })).resolves.toBeUndefined()
})

test('a wait ends when its time is over', async () => {
  const { promise } = Promise.withResolvers<void>()
  expect(await waitAtMost(1, { work: promise, signal: new AbortController().signal })).toBeUndefined()
})
