import { expect, test } from 'vitest'
import { makePythonUse, type PythonUse } from './python-use.ts'

const minute = 60_000

let now = 0
const makeUse = () => {
  now = 0
  return makePythonUse(() => now)
}
const begin = (use: PythonUse, count: number, prefix: string) => {
  for (let number = 0; number < count; number++) use.began(`${prefix}${number}`)
}

test('Python is not likely before a sandbox used it, nor when fewer than a third of the newest did', () => {
  const use = makeUse()
  expect(use.isLikely()).toBe(false)
  begin(use, 4, 'a')
  expect(use.isLikely()).toBe(false)
  use.used('a0')
  expect(use.isLikely()).toBe(false)
  use.used('a3')
  expect(use.isLikely()).toBe(true)
  begin(use, 2, 'b')
  expect(use.isLikely()).toBe(true)
  begin(use, 1, 'c')
  expect(use.isLikely()).toBe(false)
})

test('only the last 20 sandboxes count, and each counts once', () => {
  const use = makeUse()
  begin(use, 7, 'old')
  for (let number = 0; number < 7; number++) {
    use.used(`old${number}`)
    use.used(`old${number}`)
  }
  begin(use, 13, 'new')
  expect(use.isLikely()).toBe(true)
  use.began('new12')
  expect(use.isLikely()).toBe(true)
  use.began('one-more')
  expect(use.isLikely()).toBe(false)
})

test('Python that a sandbox runs more than 10 minutes after its creation does not count, nor that of an unknown one', () => {
  const use = makeUse()
  use.began('a')
  now = 10 * minute + 1
  use.used('a')
  use.used('unknown')
  expect(use.isLikely()).toBe(false)
  use.began('b')
  now += 10 * minute
  use.used('b')
  expect(use.isLikely()).toBe(true)
})
