import { expect, test } from 'vitest'
import { makeVerdict } from './verdict.ts'

test('a run that found nothing says so for each kind', () => {
  const verdict = makeVerdict()
  expect(verdict.isClean()).toBe(true)
  expect(verdict.summary()).toBe('lost 0, duplicated 0, leaked 0')
})

test('what is found after several kills counts once, with the first of them', () => {
  const verdict = makeVerdict()
  const line = { kind: 'lost', what: 'line-1 of thread one' } as const
  expect(verdict.add([line], 'after kill 3')).toEqual([line])
  expect(verdict.add([line, { kind: 'leaked', what: 'mount /x' }], 'at the end')).toEqual([
    { kind: 'leaked', what: 'mount /x' },
  ])
  expect(verdict.summary()).toBe('lost 1, duplicated 0, leaked 1')
  expect(verdict.problems()).toEqual(['lost (after kill 3): line-1 of thread one', 'leaked (at the end): mount /x'])
})

test('a thread that cannot be used again is no clean run either', () => {
  const verdict = makeVerdict()
  verdict.add([{ kind: 'stuck', what: 'thread one' }], 'after kill 1')
  expect(verdict.isClean()).toBe(false)
  expect(verdict.summary()).toBe('lost 0, duplicated 0, leaked 0, stuck 1')
})
