import { expect, test } from 'vitest'
import { orAborted } from './or-aborted.ts'

test('the result or failure of the work wins if it comes first', async () => {
  const { signal } = new AbortController()
  expect(await orAborted(Promise.resolve(1), signal)).toBe(1)
  await expect(orAborted(Promise.reject(new Error('failed')), signal)).rejects.toThrow('failed')
})

test('an abort rejects with its reason, also if it came before', async () => {
  const controller = new AbortController()
  const { promise } = Promise.withResolvers<void>()
  const waiting = orAborted(promise, controller.signal)
  controller.abort(new Error('stopped'))
  await expect(waiting).rejects.toThrow('stopped')
  await expect(orAborted(promise, controller.signal)).rejects.toThrow('stopped')
})
