import { appendFileSync } from 'node:fs'
import type { Reporter } from 'vitest/node'

/**
 * Environment variable with the file to which errors outside of tests are written, a JSON string on each line. The JSON
 * report omits them.
 */
export const runnerErrorsVariable = 'THREADBOX_TEST_RUNNER_ERRORS'

/** How long leftovers of a test file can keep the runner from exiting, after its last test. */
const endingLimitMs = 60_000

export default class RunnerEnd implements Reporter {
  onTestRunEnd(...[, errors]: Parameters<Required<Reporter>['onTestRunEnd']>): void {
    const file = process.env[runnerErrorsVariable]
    if (file === undefined) return
    // Does not keep the runner from exiting: it fires only if something else does.
    setTimeout(() => {
      const message = `The test runner did not exit within ${endingLimitMs / 1000} s of the last test: a test file left something running.`
      appendFileSync(file, `${JSON.stringify(message)}\n`)
      process.exit(1)
    }, endingLimitMs).unref()
    for (const { stack, message } of errors) appendFileSync(file, `${JSON.stringify(stack ?? message)}\n`)
  }
}
