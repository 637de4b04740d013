import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import RunnerErrors, { runnerErrorsVariable } from './runner-errors.ts'

afterEach(() => vi.unstubAllEnvs())

it('writes each error outside of tests on a line of its own', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'threadbox-errors-')), 'errors')
  vi.stubEnv(runnerErrorsVariable, file)
  const errors = [{ message: 'late', stack: 'Error: late\n at x' }, { message: 'no stack' }]
  new RunnerErrors().onTestRunEnd([], errors, 'failed')
  expect(readFileSync(file, 'utf8')).toBe('"Error: late\\n at x"\n"no stack"\n')
})
