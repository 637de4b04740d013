import { expect, test } from 'vitest'
import { makeKeyedLock } from './keyed-lock.ts'

test('work on one key runs one at a time in the order of the calls, in parallel with work on other keys', async () => {
  const lock = makeKeyedLock()
  const steps: string[] = []
  const gate = Promise.withResolvers<void>()
  const first = lock('a', async () => {
    steps.push('first begins')
    await gate.promise
    steps.push('first ends')
  })
  const second = lock('a', async () => void steps.push('second'))
  await lock('b', async () => void steps.push('other key'))
  gate.resolve()
  await Promise.all([first, second])
  expect(steps).toEqual(['first begins', 'other key', 'first ends', 'second'])
})

test('a failure reaches its own caller, and the next work runs', async () => {
  const lock = makeKeyedLock()
  const failed = lock('a', () => Promise.reject(new Error('no')))
  const next = lock('a', async () => 'yes')
  await expect(failed).rejects.toThrow('no')
  expect(await next).toBe('yes')
})

test('`settled` waits for what was given before, of one key or of all, and does not reject', async () => {
  const lock = makeKeyedLock()
  const gate = Promise.withResolvers<void>()
  const ended: string[] = []
  const failing = lock('a', () => Promise.reject(new Error('no')))
  const held = lock('b', async () => {
    await gate.promise
    ended.push('b')
  })
  await lock.settled('a')
  await lock.settled('unknown')
  expect(ended).toEqual([])
  const all = lock.settled().then(() => ended.push('settled'))
  gate.resolve()
  await all
  expect(ended).toEqual(['b', 'settled'])
  await expect(failing).rejects.toThrow('no')
  await held
})

test('a key is busy from the call until the end of its last work', async () => {
  const lock = makeKeyedLock()
  const works = [lock('a', async () => lock.isBusy('a')), lock('a', () => Promise.reject(new Error('no')))]
  expect([lock.isBusy('a'), lock.isBusy('b')]).toEqual([true, false])
  const results = await Promise.allSettled(works)
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
  expect(lock.isBusy('a')).toBe(false)
})
