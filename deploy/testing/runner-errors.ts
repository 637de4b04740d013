import { appendFileSync } from 'node:fs'
import type { Reporter } from 'vitest/node'

/** Names the file that errors outside of tests are written to, a JSON string on each line. The JSON report omits them. */
export const runnerErrorsVariable = 'THREADBOX_TEST_RUNNER_ERRORS'

export default class RunnerErrors implements Reporter {
  onTestRunEnd(...[, errors]: Parameters<Required<Reporter>['onTestRunEnd']>): void {
    const file = process.env[runnerErrorsVariable]
    if (file === undefined) return
    for (const { stack, message } of errors) appendFileSync(file, `${JSON.stringify(stack ?? message)}\n`)
  }
}
