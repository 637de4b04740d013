import { expect, test } from 'vitest'
import { collectFindings } from './findings.ts'

test('a run that found nothing says so for each kind', () => {
  const findings = collectFindings()
  expect(findings.isClean()).toBe(true)
  expect(findings.summary()).toBe('lost 0, duplicated 0, leaked 0, escaped 0, misused 0')
})

test('a finding after several kills counts once, with the first of them', () => {
  const findings = collectFindings()
  const line = { kind: 'lost', what: 'line-1 of thread one' } as const
  expect(findings.add([line], 'after kill 3')).toEqual([line])
  expect(findings.add([line, { kind: 'leaked', what: 'mount /x' }], 'at the end')).toEqual([
    { kind: 'leaked', what: 'mount /x' },
  ])
  expect(findings.summary()).toBe('lost 1, duplicated 0, leaked 1, escaped 0, misused 0')
  expect(findings.problems()).toEqual(['lost (after kill 3): line-1 of thread one', 'leaked (at the end): mount /x'])
})

test('a run with a thread that cannot be used again is not clean', () => {
  const findings = collectFindings()
  findings.add([{ kind: 'stuck', what: 'thread one' }], 'after kill 1')
  expect(findings.isClean()).toBe(false)
  expect(findings.summary()).toBe('lost 0, duplicated 0, leaked 0, escaped 0, misused 0, stuck 1')
})
