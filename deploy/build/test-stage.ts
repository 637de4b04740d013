import { spawn } from 'node:child_process'
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { failuresOf, filesToRepeat, linesOf, type RunnerReport, resultOf } from './test-report.ts'

/**
 * Runs one stage of the tests: `node test-stage.ts STAGE SUMMARY`. Files with a failed test are run once more, alone; a
 * test that passes then is reported as unsteady, by name and with its reason. It ends with 1 when a test failed twice.
 * Appends to the file SUMMARY what failed and what was unsteady; the numbers `passed failed unsteady` are its last line.
 */
const [stage = '', summary = ''] = process.argv.slice(2)
const folder = await mkdtemp(join(tmpdir(), 'threadbox-stage-'))
try {
  const first = await run([])
  const files = filesToRepeat(first.report ? failuresOf(first.report) : [])
  const repeated = files.length > 0 ? await repeat(files) : undefined
  const result = resultOf(first.report ?? nothing(), { exitCode: first.exitCode, ...(repeated && { repeated }) })
  const numbers = `${result.passed} ${result.failures.length} ${result.unsteady.length}`
  await appendFile(summary, [...linesOf(stage, result), numbers, ''].join('\n'))
  process.exitCode = result.failures.length > 0 ? 1 : 0
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function repeat(files: string[]): Promise<RunnerReport | undefined> {
  console.log(`\n── ${stage}: once more, alone: ${files.join(', ')}`)
  return (await run([...files, '--no-file-parallelism'])).report
}

async function run(rest: string[]): Promise<{ exitCode: number; report: RunnerReport | undefined }> {
  const reportFile = join(folder, `${rest.length}.json`)
  const flags = ['--passWithNoTests', '--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`]
  const runner = spawn(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', '--project', stage, ...flags, ...rest],
    {
      stdio: 'inherit',
    },
  )
  const exitCode = await new Promise<number>((resolve, reject) => {
    runner.once('error', reject)
    runner.once('exit', (code) => resolve(code ?? 1))
  })
  return { exitCode, report: await reportIn(reportFile) }
}

/** None where the runner ended before it could write one. */
async function reportIn(file: string): Promise<RunnerReport | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  if (text === '') return undefined
  const report: RunnerReport = JSON.parse(text)
  const testResults = report.testResults.map((result) => ({ ...result, name: relative(process.cwd(), result.name) }))
  return { ...report, testResults }
}

function nothing(): RunnerReport {
  return { numPassedTests: 0, numFailedTests: 0, testResults: [] }
}
