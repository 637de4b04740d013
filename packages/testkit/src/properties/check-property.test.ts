import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asyncProperty, nat, property } from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { checkProperty } from './check-property.ts'
import { cutAnywhere } from './foreign-input.ts'
import { keepCase, keptCases } from './kept-cases.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'properties-'))
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(root, { recursive: true })
})

test('a property that doesn’t hold fails with the smallest counterexample and its seed', async () => {
  const holdsBelowTen = property(nat({ max: 1000 }), (value) => value < 10)
  await expect(checkProperty(`never-${'holds'}`, holdsBelowTen)).rejects.toThrow(
    /never-holds doesn’t hold\. Counterexample: \[10\]\nfast-check seed -?\d+/,
  )
})

test('the same seed gives the same inputs', async () => {
  const inputs = async () => {
    const seen: number[] = []
    await checkProperty(
      `seeded-${'inputs'}`,
      property(nat(), (value) => void seen.push(value)),
      { runs: 20 },
    )
    return seen
  }
  expect(await inputs()).toEqual(await inputs())
})

test('a kept case is the input itself: bytes, undefined, lone surrogates and keys such as __proto__', () => {
  expect(keptCases('any', root)).toEqual([])
  const values = [Buffer.from([0, 255]), undefined, '\ud800', JSON.parse('{"__proto__":{"a":1}}'), Number.NaN]
  const file = keepCase('any', values, root)
  expect(file).toMatch(/^tests\/fuzz-cases\/any\/[0-9a-f]{12}\.json$/)
  expect(keepCase('any', values, root)).toBe(file)
  const [kept] = keptCases<typeof values>('any', root)
  expect(kept).toEqual(values)
  expect(Object.keys(kept?.[3] as object)).toEqual(['__proto__'])
})

test('pieces of bytes are all of them, in their order', () => {
  const bytes = Buffer.from('abcdef')
  expect(cutAnywhere(bytes, [4, 1, 1, 9]).map(String)).toEqual(['a', 'b', 'cd', 'ef'])
  expect(Buffer.concat(cutAnywhere(bytes, [0, 6]))).toEqual(bytes)
  expect(cutAnywhere(Buffer.alloc(0), [3]).map(String)).toEqual(['', ''])
})

test('a property whose time is over before its first case has not failed', async () => {
  vi.stubEnv('THREADBOX_FUZZ_MS', '1')
  const slow = asyncProperty(nat(), () => new Promise<void>((resolve) => setTimeout(resolve, 50)))
  await expect(checkProperty(`over-${'early'}`, slow)).resolves.toBeUndefined()
})
