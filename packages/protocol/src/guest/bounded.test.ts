import { expect, test } from 'vitest'
import { z } from 'zod'
import { listOf, parseGuestJson } from './bounded.ts'
import { manifestSchema } from './manifest.ts'

test('JSON that is nested or has entries without end is refused', () => {
  expect(() => parseGuestJson(`${'['.repeat(1e6)}${']'.repeat(1e6)}`)).toThrow('nested too deeply')
  expect(() => parseGuestJson(`{"processes":[{}${',{}'.repeat(1e6)}]}`)).toThrow('too many entries')
  expect(() => parseGuestJson(`[[${'[1],'.repeat(200_000)}[1]]]`)).toThrow('too many entries')
  expect(() => parseGuestJson('{"a":NaN}')).toThrow(SyntaxError)
  expect(parseGuestJson('{"a":[1,"2"]}')).toEqual({ a: [1, '2'] })
})

test('a list names only its first invalid entry, however many there are', () => {
  const list = listOf(z.object({ a: z.number(), b: z.number() }))
  const { error } = list.safeParse([{ a: 1, b: 2 }, ...Array.from({ length: 19_000 }, () => ({}))])
  expect(error?.issues.map(({ path }) => path)).toEqual([[1]])
  expect(list.safeParse(Array.from({ length: 20_001 }, () => 1)).success).toBe(false)
  expect(list.safeParse({ length: { toString: 1, valueOf: 1 } }).success).toBe(false)
  expect(list.parse([{ a: 1, b: 2, c: 3 }])).toEqual([{ a: 1, b: 2 }])
})

test('a manifest with 20,000 things that are no processes is refused with one issue', () => {
  const { error } = manifestSchema.shape.processes.safeParse(Array.from({ length: 20_000 }, () => ({})))
  expect(error?.issues).toHaveLength(1)
})
