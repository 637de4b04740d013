import { expect, test } from 'vitest'
import { makeQuietWaits } from './quiet-waits.ts'

const long = 600_000

test('a wait ends with “wanted” when the thread is wanted during the wait or already before it', async () => {
  const waits = makeQuietWaits()
  const [own, other] = [waits.wait('a', long), waits.wait('b', 1)]
  const held = waits.want('a')
  expect(await own).toBe('wanted')
  expect(await waits.wait('a', long)).toBe('wanted')
  held[Symbol.dispose]()
  expect(await other).toBe('quiet')
  expect(await waits.wait('a', 1)).toBe('quiet')
})

test('a thread wanted twice stays wanted until both are disposed', async () => {
  const waits = makeQuietWaits()
  const [first, second] = [waits.want('a'), waits.want('a')]
  first[Symbol.dispose]()
  expect(await waits.wait('a', long)).toBe('wanted')
  expect(await waits.wait('a', 0)).toBe('quiet')
  second[Symbol.dispose]()
  expect(await waits.wait('a', 1)).toBe('quiet')
})

test('hurry ends all waits as quiet, and later ones while it is held', async () => {
  const waits = makeQuietWaits()
  const waiting = waits.wait('a', long)
  const held = waits.hurry()
  expect(await waiting).toBe('quiet')
  expect(await waits.wait('b', long)).toBe('quiet')
  held[Symbol.dispose]()
})
