import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { constants, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileTimesVariable } from './file-times.ts'
import { runnerErrorsVariable } from './runner-end.ts'
import type { Stage } from './test-arguments.ts'
import {
  failuresOf,
  filesToRepeat,
  type RunnerReport,
  type RunnerRun,
  resultOf,
  type StageResult,
} from './test-report.ts'

export type StageRun = {
  stage: Stage
  result: StageResult
  milliseconds: number
  /** Each file’s own time; files run in parallel. */
  files: { file: string; milliseconds: number }[]
  /** Number of started programs, by kind. */
  started: Record<string, number>
}

/** In the environment of the tests: see `noteStart` of the testkit, which a stage without its packages cannot import. */
const startRecordVariable = 'THREADBOX_TEST_STARTS'

/**
 * Runs one stage of the tests. Files with a failed test are run once more, alone; a test that then passes is reported
 * as unsteady, by name and with its reason.
 */
export async function runStage(
  stage: Stage,
  options: { files: string[]; name: string | undefined; environment: Record<string, string> },
): Promise<StageRun> {
  const begun = performance.now()
  if (stage === 'check') return { ...(await runChecks()), milliseconds: performance.now() - begun }
  const folder = await mkdtemp(join(tmpdir(), 'threadbox-stage-'))
  const [times, starts] = [join(folder, 'times'), join(folder, 'starts')]
  const isWhole = options.files.length === 0 && options.name === undefined
  const environment = {
    ...options.environment,
    [fileTimesVariable]: times,
    [startRecordVariable]: starts,
    ...(isWhole ? { THREADBOX_TEST_WHOLE_STAGE: '1' } : {}),
  }
  const run = (rest: string[]) => runTests(stage, { folder, environment, rest })
  const chosen = [...options.files, ...(options.name === undefined ? [] : ['-t', options.name])]
  try {
    const first = await run(chosen)
    const timed = await linesIn(times)
    const files = filesToRepeat(failuresOf(first.report))
    if (files.length > 0) console.log(`\n── ${stage}: running again, alone: ${files.join(', ')}`)
    const again = files.length > 0 ? await run([...files, '--no-file-parallelism']) : undefined
    return {
      stage,
      result: resultOf(first, again),
      milliseconds: performance.now() - begun,
      files: timed.map((line) => {
        const [milliseconds = '', ...name] = line.split(' ')
        return { file: name.join(' '), milliseconds: Number(milliseconds) }
      }),
      started: countsOf(await linesIn(starts)),
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function runChecks(): Promise<Omit<StageRun, 'milliseconds'>> {
  const exitCode = await ended('./threadbox', ['check'], {})
  const failure = { file: '', test: 'check', reason: 'See the output above.' }
  const result = exitCode === 0 ? { passed: 1, failures: [] } : { passed: 0, failures: [failure] }
  return { stage: 'check', result: { ...result, unsteady: [] }, files: [], started: {} }
}

async function runTests(
  stage: Stage,
  options: { folder: string; environment: Record<string, string>; rest: string[] },
): Promise<RunnerRun> {
  const reportFile = join(options.folder, `${crypto.randomUUID()}.json`)
  const errorsFile = join(options.folder, `${crypto.randomUUID()}.errors`)
  const own = ['file-times', 'runner-end'].map((name) => `./deploy/testing/${name}.ts`)
  const reporters = ['default', 'json', ...own].map((name) => `--reporter=${name}`)
  const flags = ['--passWithNoTests', ...reporters, `--outputFile.json=${reportFile}`]
  const runner = ['node_modules/vitest/vitest.mjs', 'run', '--project', `${stage}*`]
  const environment = { ...options.environment, [runnerErrorsVariable]: errorsFile }
  const exitCode = await ended(process.execPath, [...runner, ...flags, ...options.rest], environment)
  const errors = (await linesIn(errorsFile)).map((line): string => JSON.parse(line))
  return { exitCode, report: (await reportIn(reportFile)) ?? nothing(), errors }
}

/** Runs a program to its end. A signal to this process goes to the program, and ends this process after it. */
async function ended(program: string, args: string[], environment: Record<string, string>): Promise<number> {
  const child = spawn(program, args, { stdio: 'inherit', env: { ...process.env, ...environment } })
  const passOn = (signal: NodeJS.Signals) => {
    child.once('exit', () => process.exit(1))
    child.kill(signal)
  }
  for (const signal of endingSignals) process.once(signal, passOn)
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? 'SIGKILL']))
    })
  } finally {
    for (const signal of endingSignals) process.off(signal, passOn)
  }
}

const endingSignals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** Undefined if the runner ended before it could write one. */
async function reportIn(file: string): Promise<RunnerReport | undefined> {
  const text = await readIfPresent(file)
  if (text === '') return undefined
  const report: RunnerReport = JSON.parse(text)
  const testResults = report.testResults.map((result) => ({ ...result, name: relative(process.cwd(), result.name) }))
  return { ...report, testResults }
}

async function linesIn(file: string): Promise<string[]> {
  return (await readIfPresent(file)).split('\n').filter((line) => line !== '')
}

async function readIfPresent(file: string): Promise<string> {
  return await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
}

function countsOf(names: string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

function nothing(): RunnerReport {
  return { numPassedTests: 0, numFailedTests: 0, testResults: [] }
}
