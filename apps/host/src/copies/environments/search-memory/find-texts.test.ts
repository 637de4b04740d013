import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { makeFinder } from './find-texts.ts'

function found(needles: readonly Buffer[], bytes: Buffer): number[] {
  const seen = new Set<number>()
  makeFinder(needles)(bytes, (needle) => seen.add(needle))
  return [...seen].sort((left, right) => left - right)
}

test('finds exactly the texts that exist, wherever they are', () => {
  const needles = Array.from({ length: 300 }, (_, index) => Buffer.from(randomBytes(4 + (index % 30)).toString('hex')))
  for (let length = 0; length < 40; length += 1) {
    const [there, absent] = [needles[length] as Buffer, needles[length + 40] as Buffer]
    const bytes = Buffer.concat([randomBytes(length), there, randomBytes(length), absent.subarray(0, -1)])
    expect(found(needles, bytes), `after ${length} bytes`).toEqual([length])
  }
})

test('finds texts that overlap, and two that begin alike', () => {
  const needles = ['aaaaaaaa', 'aaaaaaaab', 'aaaaaaaac'].map((text) => Buffer.from(text))
  expect(found(needles, Buffer.from('xaaaaaaaaab'))).toEqual([0, 1])
  expect(found(needles, Buffer.from('aaaaaaa'))).toEqual([])
  expect(found([], Buffer.from('aaaaaaaa'))).toEqual([])
})
