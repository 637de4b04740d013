import { expect, test } from 'vitest'
import { fuzzLines, lastReports, readFuzzArguments } from './fuzz-report.ts'

const properties = ['a', 'b', 'c', 'd'].map((name) => ({ name, file: `${name}.fuzz.test.ts` }))

test('a run shows the failed case and its file, and names properties that did not end or did not run', () => {
  const reports = lastReports(
    [
      '{"name":"a","seed":1}',
      '{"name":"a","seed":1,"cases":300}',
      '{"name":"b","seed":2,"cases":7,"failure":"Counterexample: [1]\\nbecause","keptIn":"tests/fuzz-cases/b/0.json"}',
      '{"name":"c","seed":3}',
      '{"name":"d","se',
    ].join('\n'),
  )
  expect(fuzzLines({ properties, reports, isStopped: true })).toEqual([
    'ok a: 300 cases, fast-check seed 1',
    'FAILED b (b.fuzz.test.ts) after 7 cases',
    '  Counterexample: [1]',
    '  because',
    '  kept in tests/fuzz-cases/b/0.json',
    'NOT ENDED c (c.fuzz.test.ts), fast-check seed 3',
    'NOT RUN d (d.fuzz.test.ts)',
    'Stopped: a property did not end in time.',
    '4 properties, 307 cases, 3 failed or not ended',
  ])
})

test('unusable arguments are rejected by name', () => {
  const byDefault = { seed: 5 }
  expect(readFuzzArguments([], byDefault)).toEqual({ minutes: 10, seed: 5 })
  expect(readFuzzArguments(['--minutes', '0.5', '--seed', '7'], byDefault)).toEqual({ minutes: 0.5, seed: 7 })
  expect(() => readFuzzArguments(['--minutes', '0'], byDefault)).toThrow('--minutes must be')
  expect(() => readFuzzArguments(['--seed', 'x'], byDefault)).toThrow('--seed must be')
})
