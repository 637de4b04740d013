import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import RunnerEnd, { runnerErrorsVariable } from './runner-end.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

it('writes each error outside of tests on a separate line', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'threadbox-errors-')), 'errors')
  vi.stubEnv(runnerErrorsVariable, file)
  const errors = [{ message: 'late', stack: 'Error: late\n at x' }, { message: 'no stack' }]
  new RunnerEnd().onTestRunEnd([], errors, 'failed')
  expect(readFileSync(file, 'utf8')).toBe('"Error: late\\n at x"\n"no stack"\n')
})

it('ends a runner that does not exit after the last test, as failed', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'threadbox-errors-')), 'errors')
  vi.stubEnv(runnerErrorsVariable, file)
  const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never)
  new RunnerEnd().onTestRunEnd([], [], 'passed')
  vi.runAllTimers()
  expect(exit).toHaveBeenCalledExactlyOnceWith(1)
  expect(readFileSync(file, 'utf8')).toContain('did not exit within 60 s of the last test')
})
