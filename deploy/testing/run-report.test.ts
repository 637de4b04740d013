import { describe, expect, it } from 'vitest'
import { type MachineReport, machineLine, reasonNotToJudge, reference, watchMachine } from './machine-load.ts'
import { overLimits, type RunReport, reportLines } from './run-report.ts'
import { readArguments } from './test-arguments.ts'
import { recordPage } from './test-record.ts'

const minute = 60_000
const failure = { file: 'tests/system/b.test.ts', test: 'C5: it holds (always)', reason: 'Expected 1' }
const report: RunReport = {
  seed: 7,
  isFull: false,
  stages: [
    {
      stage: 'unit',
      result: { passed: 20, failures: [], unsteady: [] },
      milliseconds: minute,
      files: [{ file: 'a.test.ts', milliseconds: 1500 }],
      started: {},
    },
    {
      stage: 'system',
      result: { passed: 3, failures: [failure], unsteady: [] },
      milliseconds: 2 * minute,
      files: [{ file: 'tests/system/b.test.ts', milliseconds: 91_000 }],
      started: { host: 12, server: 9 },
    },
  ],
}

describe('the report of a run', () => {
  it('names the slowest files, the time of each stage, what was started, and how to reproduce a failure', () => {
    expect(reportLines(report)).toEqual([
      'slowest files',
      '     91.0 s  tests/system/b.test.ts',
      '      1.5 s  a.test.ts',
      '',
      'stages',
      '     60.0 s  unit     ok',
      '    120.0 s  system   FAILED started 12 host daemons, 9 servers',
      '    180.0 s  total, seed 7',
      '',
      'FAILED   system: tests/system/b.test.ts > C5: it holds (always)',
      '    Expected 1',
      "    rerun: THREADBOX_TEST_SEED=7 ./threadbox test tests/system/b.test.ts -t 'C5: it holds .always.'",
      '23 passed, 1 failed, 0 unsteady',
    ])
  })

  it('says what exceeded the limits of the default set', () => {
    expect(overLimits({ ...report, slowness: 1 })).toEqual([])
    const long = [{ ...report.stages[0], files: [{ file: 'tests/system/b.test.ts', milliseconds: 301_000 }] }]
    expect(overLimits({ stages: long as RunReport['stages'], slowness: 0.5 })).toEqual([
      'tests/system/b.test.ts took 301.0 s; the limit per file is 240.0 s.',
    ])
    const slow = { stages: report.stages.map((stage) => ({ ...stage, milliseconds: 25 * minute, files: [] })) }
    expect(overLimits({ ...slow, slowness: 1 })).toEqual(['The run took 50.0 minutes; the limit is 40.0.'])
    expect(overLimits({ ...slow, slowness: 1.3 })).toEqual([])
  })

  it('becomes the record of a full run, including its failures', () => {
    const run = { commit: 'abc', at: '2026-11-23 20:00', machine: '2 × cpu', repeats: [{ what: 'kills', full: 50 }] }
    const page = recordPage(report, run)
    for (const line of ['- commit: `abc`', '- seed: 7', '| system | 1 | 3 | 1 | 0 | 2.0 |', '| kills | 50 |']) {
      expect(page.split('\n')).toContain(line)
    }
    expect(page).toContain('- failed: `tests/system/b.test.ts`: C5: it holds (always)')
  })
})

describe('whether the time of a run is judged', () => {
  const idle: MachineReport = {
    cores: reference.cores,
    memoryBytes: reference.memoryBytes,
    busyShare: 0.02,
    stolenShare: 0,
    diskWaitShare: 0.01,
    slowness: 1,
    pageFaultMicros: 1,
  }

  it.each<[string, Partial<MachineReport>, RegExp | undefined]>([
    ['an idle machine of that size', {}, undefined],
    ['a larger one', { cores: 16, memoryBytes: 2 ** 38 }, undefined],
    ['one with slower processors, for which the limits are longer', { slowness: 2 }, undefined],
    ['one with less memory', { memoryBytes: 2 ** 33 }, /smaller/],
    ['one on which something else ran', { busyShare: 0.5 }, /other programs kept 50 % of the processors busy/],
    ['one that shares its processors', { stolenShare: 0.2 }, /took 20 % of the processors/],
    ['one with slow memory', { pageFaultMicros: 3.8 }, /a page fault takes 3.8 µs here/],
    ['one that waits for its disk', { diskWaitShare: 0.4 }, /waited for the disk in 40 % of the time/],
  ])('%s', (_, differences, reason) => {
    const said = reasonNotToJudge({ ...idle, ...differences })
    if (reason === undefined) expect(said).toBeUndefined()
    else expect(said).toMatch(reason)
  })

  it('measures this machine', async () => {
    const machine = watchMachine()
    await machine.probe()
    const found = machine.end()
    expect(found.slowness).toBeGreaterThan(0)
    expect(found.pageFaultMicros).toBeGreaterThan(0)
    expect(found.busyShare).toBeGreaterThanOrEqual(0)
    expect(machineLine(found)).toMatch(/^machine: a fixed piece of work took \d+\.\d\d × as long/)
  })
})

describe('the arguments', () => {
  it.each([
    [[], { stages: ['check', 'unit', 'system', 'browser'], files: [], isFull: false, changedSince: undefined }],
    [['system', 'unit', '--full'], { stages: ['unit', 'system'], isFull: true }],
    [['tests/system/a.test.ts', '-t', 'C5'], { stages: ['system'], files: ['tests/system/a.test.ts'], name: 'C5' }],
    [['apps/host/src/a.test.ts'], { stages: ['unit'] }],
    [['--changed'], { changedSince: 'HEAD' }],
    [['--changed=main', 'unit'], { changedSince: 'main', stages: ['unit'] }],
  ])('%j', (args, expected) => {
    expect(readArguments(args)).toMatchObject(expected)
  })

  it('names the stages when one is unknown', () => {
    expect(() => readArguments(['sytem'])).toThrow(/check, unit, system, browser/)
  })
})
