import { expect, test } from 'vitest'
import { makeChangeWaits } from './change-waits.ts'

/** Longer than any test can take: something else must end the wait. */
const forever = 2 ** 30

test('a wait ends with the first check that finds something after a change of its key', async () => {
  const changes = makeChangeWaits()
  let value: string | undefined
  let checks = 0
  const checked = Promise.withResolvers<void>()
  const waiting = changes.until(
    'a',
    async () => {
      checks += 1
      checked.resolve()
      return value
    },
    { timeoutMs: forever },
  )
  await checked.promise
  value = 'found'
  changes.notify('b')
  expect(checks).toBe(1)
  changes.notify('a')
  expect(await waiting).toBe('found')
})

test('a change during a check is not missed', async () => {
  const changes = makeChangeWaits()
  let value: string | undefined
  const check = async () => {
    const found = value
    if (found === undefined) {
      value = 'found'
      changes.notify('a')
    }
    return found
  }
  expect(await changes.until('a', check, { timeoutMs: forever })).toBe('found')
})

test('a wait checks once more when its time is over, and then ends with nothing', async () => {
  const changes = makeChangeWaits()
  let checks = 0
  const check = async () => {
    checks += 1
    return undefined
  }
  expect(await changes.until('a', check, { timeoutMs: 0 })).toBeUndefined()
  expect(checks).toBe(1)
  expect(await changes.until('a', check, { timeoutMs: 1 })).toBeUndefined()
  expect(checks).toBeGreaterThanOrEqual(3)
})

test('an abort rejects the wait with its reason, and so does a check that fails', async () => {
  const changes = makeChangeWaits()
  const stopped = new AbortController()
  const waiting = changes.until('a', async () => undefined, { timeoutMs: forever, signal: stopped.signal })
  stopped.abort(new Error('stopped'))
  await expect(waiting).rejects.toThrow('stopped')
  const failing = changes.until('a', () => Promise.reject(new Error('failed')), { timeoutMs: forever })
  await expect(failing).rejects.toThrow('failed')
})
