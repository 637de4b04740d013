/** The used part of the test runner's JSON report about one run. */
export interface RunnerReport {
  numPassedTests: number
  numFailedTests: number
  testResults: readonly {
    /** Path of the file. */
    name: string
    status: string
    /** Why the file itself failed, if it did not reach its tests. */
    message?: string
    assertionResults: readonly { fullName: string; status: string; failureMessages: readonly string[] | null }[]
  }[]
}

/** One run of the test runner. */
export interface RunnerRun {
  report: RunnerReport
  exitCode: number
  /** Unhandled errors of tests, and errors of the runner itself. */
  errors: readonly string[]
}

/** A test (or a file that did not reach its tests) that failed, with the first lines of its reason. */
export interface Failure {
  file: string
  test: string
  reason: string
}

/** Result of a stage. `unsteady`: failed at first and passed when its file was run once more. */
export interface StageResult {
  passed: number
  failures: Failure[]
  unsteady: Failure[]
}

/** Limit of files that are run once more; a change that breaks more than these is not a coincidence. */
export const mostFilesToRepeat = 8

const reasonLines = 6
/** Exit code of the test runner if tests failed and nothing else. */
const failedTestsExitCode = 1

export function failuresOf(report: RunnerReport): Failure[] {
  return report.testResults.flatMap(({ name: file, status, message, assertionResults }) => {
    const failed = assertionResults
      .filter((result) => result.status === 'failed')
      .map(({ fullName: test, failureMessages }) => ({ file, test, reason: firstLines(failureMessages?.[0] ?? '') }))
    if (failed.length > 0 || status !== 'failed') return failed
    return [{ file, test: '(the file itself)', reason: firstLines(message ?? '') }]
  })
}

/** The files to run once more after a failed run; none if there are too many of them, or if no file is the cause. */
export function filesToRepeat(failures: readonly Failure[]): string[] {
  const files = [...new Set(failures.map((failure) => failure.file))]
  return files.length <= mostFilesToRepeat ? files : []
}

/** Joins a run with the repetition of its failed files. A failure outside of tests, in either, stays a failure. */
export function resultOf(first: RunnerRun, repeated?: RunnerRun): StageResult {
  const failures = failuresOf(first.report)
  const passed = first.report.numPassedTests
  if (repeated === undefined) return { passed, failures: [...failures, ...runnerFailuresOf(first)], unsteady: [] }
  const again = failuresOf(repeated.report)
  const passing = filesThatPass(repeated.report)
  const unsteady = failures.filter((failure) => passing.has(failure.file))
  const notRepeated = failures.filter(({ file }) => !passing.has(file) && !again.some((one) => one.file === file))
  return {
    passed: passed + unsteady.length,
    failures: [...again, ...notRepeated, ...runnerFailuresOf(first), ...runnerFailuresOf(repeated)],
    unsteady,
  }
}

/** Why a runner failed, if no test is the reason. */
function runnerFailuresOf({ report, exitCode, errors }: RunnerRun): Failure[] {
  if (errors.length > 0) {
    return errors.map((error) => ({ file: '', test: '(outside all tests)', reason: firstLines(error) }))
  }
  const hasFailedTests = failuresOf(report).length > 0
  if (exitCode === 0 || (exitCode === failedTestsExitCode && hasFailedTests)) return []
  const why = hasFailedTests
    ? `; after failed tests it exits with ${failedTestsExitCode}.`
    : ', although no test failed.'
  return [{ file: '', test: '(the runner)', reason: `The test runner exited with ${exitCode}${why}` }]
}

/** A file that never reached its tests does not pass: its repetition might have ended earlier. */
function filesThatPass({ testResults }: RunnerReport): Set<string> {
  const passing = testResults.filter(({ status, assertionResults }) => {
    const ran = assertionResults.filter((result) => ['passed', 'failed'].includes(result.status))
    return status !== 'failed' && ran.length > 0 && ran.every((result) => result.status === 'passed')
  })
  return new Set(passing.map(({ name }) => name))
}

/** What failed and why, and the command that reproduces it. */
export function linesOf(stage: string, result: StageResult, run: { seed: number; isFull: boolean }): string[] {
  const repeat = (failure: Failure) => `    rerun: ${commandFor(failure, { stage, ...run })}`
  return [
    ...result.failures.flatMap((failure) => [...described(`FAILED   ${stage}`, failure), repeat(failure)]),
    ...result.unsteady.flatMap((failure) => [
      ...described(`UNSTEADY ${stage} (passed when run again)`, failure),
      repeat(failure),
    ]),
  ]
}

function described(title: string, { file, test, reason }: Failure): string[] {
  return [`${title}: ${file}${file === '' ? '' : ' > '}${test}`, ...reason.split('\n').map((line) => `    ${line}`)]
}

function commandFor({ file, test }: Failure, run: { stage: string; seed: number; isFull: boolean }): string {
  if (file === '') return `./threadbox test ${run.stage}`
  const pattern = test.replaceAll(/[^\p{L}\p{N} ,:-]/gu, '.')
  const name = test.startsWith('(') ? '' : ` -t '${pattern}'`
  return `THREADBOX_TEST_SEED=${run.seed} ./threadbox test${run.isFull ? ' --full' : ''} ${file}${name}`
}

function firstLines(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colors of the terminal are control characters
  const plain = text.replaceAll(/\u001b\[[0-9;]*m/g, '')
  return plain.split('\n').slice(0, reasonLines).join('\n')
}
