import { expect, test } from 'vitest'
import { makeQuietWaits } from './quiet-waits.ts'

const long = 600_000

test('who is waited for goes on at once when the thread is wanted, also when it was wanted before the wait began', async () => {
  const waits = makeQuietWaits()
  const [own, other] = [waits.wait('a', long), waits.wait('b', 1)]
  const held = waits.want('a')
  expect(await own).toBe('wanted')
  expect(await waits.wait('a', long)).toBe('wanted')
  held[Symbol.dispose]()
  expect(await other).toBe('quiet')
  expect(await waits.wait('a', 1)).toBe('quiet')
})

test('a thread that two want stays wanted until neither does', async () => {
  const waits = makeQuietWaits()
  const [first, second] = [waits.want('a'), waits.want('a')]
  first[Symbol.dispose]()
  expect(await waits.wait('a', long)).toBe('wanted')
  expect(await waits.wait('a', 0)).toBe('quiet')
  second[Symbol.dispose]()
  expect(await waits.wait('a', 1)).toBe('quiet')
})

test('in a hurry nothing is waited for, and all count as left alone', async () => {
  const waits = makeQuietWaits()
  const waiting = waits.wait('a', long)
  const held = waits.hurry()
  expect(await waiting).toBe('quiet')
  expect(await waits.wait('b', long)).toBe('quiet')
  held[Symbol.dispose]()
})
