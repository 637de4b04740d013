import { describe, expect, it } from 'vitest'
import {
  failuresOf,
  filesToRepeat,
  linesOf,
  mostFilesToRepeat,
  type RunnerReport,
  type RunnerRun,
  resultOf,
} from './test-report.ts'

describe('the report of a stage', () => {
  it('names each failed test with its file and the first lines of its reason, without colors', () => {
    const report = reportOf([['a.test.ts', ['it holds', 'failed', '\u001b[31mExpected 1\u001b[39m\nb\nc\nd\ne\nf\ng']]])
    expect(failuresOf(report)).toEqual([{ file: 'a.test.ts', test: 'it holds', reason: 'Expected 1\nb\nc\nd\ne\nf' }])
  })

  it('names a file that did not reach its tests', () => {
    const report = {
      ...reportOf([]),
      testResults: [{ name: 'b.test.ts', status: 'failed', message: 'No module x', assertionResults: [] }],
    }
    expect(failuresOf(report)).toEqual([{ file: 'b.test.ts', test: '(the file itself)', reason: 'No module x' }])
  })

  it('repeats a few failed files, each once, and none when many failed', () => {
    const few = failuresOf(
      reportOf([
        ['a', ['one', 'failed', '']],
        ['a', ['two', 'failed', '']],
        ['b', ['three', 'failed', '']],
      ]),
    )
    expect(filesToRepeat(few)).toEqual(['a', 'b'])
    const many = Array.from({ length: mostFilesToRepeat + 1 }, (_, index) => ({
      file: `${index}`,
      test: 't',
      reason: '',
    }))
    expect(filesToRepeat(many)).toEqual([])
  })

  it('calls a test unsteady if it passes when repeated, and says why it had failed', () => {
    const first = reportOf([
      ['a', ['one', 'failed', 'too late']],
      ['b', ['two', 'passed', '']],
    ])
    const result = resultOf(failed(first), passed(reportOf([['a', ['one', 'passed', '']]])))
    expect(result).toEqual({ passed: 2, failures: [], unsteady: [{ file: 'a', test: 'one', reason: 'too late' }] })
    expect(linesOf('system', result, { seed: 7, isFull: false })).toEqual([
      'UNSTEADY system (passed when run again): a > one',
      '    too late',
      "    rerun: THREADBOX_TEST_SEED=7 ./threadbox test a -t 'one'",
    ])
  })

  it('keeps a file that fails twice as failed, even if a different test fails', () => {
    const first = reportOf([
      ['a', ['one', 'failed', 'x']],
      ['b', ['two', 'failed', 'y']],
    ])
    const repeated = reportOf([
      ['a', ['other', 'failed', 'z']],
      ['b', ['two', 'passed', '']],
    ])
    const result = resultOf(failed(first), failed(repeated))
    expect(result.failures).toEqual([{ file: 'a', test: 'other', reason: 'z' }])
    expect(result.unsteady.map((failure) => failure.file)).toEqual(['b'])
  })

  it('keeps a failure whose file was not repeated, because the repetition ended earlier', () => {
    const first = reportOf([['a', ['one', 'failed', 'x']]])
    const result = resultOf(failed(first), passed(reportOf([])))
    expect(result).toEqual({ passed: 0, failures: [{ file: 'a', test: 'one', reason: 'x' }], unsteady: [] })
  })

  it('fails if the runner failed although no test did', () => {
    expect(resultOf(failed(reportOf([]))).failures).toHaveLength(1)
    expect(resultOf(passed(reportOf([]))).failures).toHaveLength(0)
  })

  describe('of a runner that failed outside of tests, with failed files that pass when repeated', () => {
    const first = reportOf([['a', ['one', 'failed', 'too late']]])
    const repeated = reportOf([['a', ['one', 'passed', '']]])

    it('keeps an error of the first run as a failure, with its first lines', () => {
      const result = resultOf({ ...failed(first), errors: ['Error: nobody caught this\n at x'] }, passed(repeated))
      expect(result).toEqual({
        passed: 1,
        failures: [{ file: '', test: '(outside all tests)', reason: 'Error: nobody caught this\n at x' }],
        unsteady: [{ file: 'a', test: 'one', reason: 'too late' }],
      })
    })

    it('keeps an exit code that failed tests do not have as a failure', () => {
      const result = resultOf({ ...failed(first), exitCode: 134 }, passed(repeated))
      expect(result.failures).toEqual([
        {
          file: '',
          test: '(the runner)',
          reason: 'The test runner exited with 134; after failed tests it exits with 1.',
        },
      ])
    })

    it('keeps a failure of the repetition', () => {
      const result = resultOf(failed(first), failed(repeated))
      expect(result.failures).toEqual([
        { file: '', test: '(the runner)', reason: 'The test runner exited with 1, although no test failed.' },
      ])
    })
  })
})

function failed(report: RunnerReport): RunnerRun {
  return { report, exitCode: 1, errors: [] }
}

function passed(report: RunnerReport): RunnerRun {
  return { report, exitCode: 0, errors: [] }
}

type Row = [file: string, test: [name: string, status: string, reason: string]]

function reportOf(rows: Row[]): RunnerReport {
  const numPassedTests = rows.filter(([, [, status]]) => status === 'passed').length
  return {
    numPassedTests,
    numFailedTests: rows.length - numPassedTests,
    testResults: rows.map(([name, [fullName, status, reason]]) => ({
      name,
      status,
      assertionResults: [{ fullName, status, failureMessages: reason === '' ? [] : [reason] }],
    })),
  }
}
