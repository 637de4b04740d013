import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fuzzApiFor } from '../../tests/api-fuzz/fuzz-api.ts'
import { fuzzLines, lastReports, readFuzzArguments } from './fuzz-report.ts'
import { checkedProperties } from './testing-page.ts'

/**
 * `./threadbox fuzz [--minutes M] [--seed S]`: checks all properties, one after another, each for an equal share of the
 * time, then sends random requests to the API. What fails is written to tests/fuzz-cases, from where a test
 * repeats it. Exits with 1 if something fails.
 */
const root = join(import.meta.dirname, '../..')
/** Longest time without a report beyond a property’s share: loading a test, shrinking what was found. */
const graceMs = 300_000
const { minutes, seed } = readOrRefuse()
const properties = checkedProperties(root)
/** The part of the time in which the API gets requests. */
const apiShare = 0.25
const fuzzMs = Math.max(1, Math.floor((minutes * 60_000 * (1 - apiShare)) / properties.length))
const folder = mkdtempSync(join(tmpdir(), 'threadbox-fuzz-'))
const report = join(folder, 'report')
writeFileSync(report, '')
console.log(`seed ${seed}, ${properties.length} properties, ${(fuzzMs / 1000).toFixed(1)} s each`)
try {
  const isStopped = await run()
  const reports = lastReports(readFileSync(report, 'utf8'))
  for (const line of fuzzLines({ properties, reports, isStopped })) console.log(line)
  const api = await fuzzApiFor({ milliseconds: minutes * 60_000 * apiShare, seed })
  for (const line of api.lines) console.log(line)
  const isWhole = properties.every(({ name }) => reports.get(name)?.cases !== undefined)
  process.exitCode =
    isWhole && api.isPassed && [...reports.values()].every(({ failure }) => failure === undefined) ? 0 : 1
} finally {
  rmSync(folder, { recursive: true })
}

/** True if the run had to be stopped: a property that never returns can’t be interrupted from inside. */
async function run(): Promise<boolean> {
  const files = [...new Set(properties.map(({ file }) => file))]
  const args = [
    'run',
    '--project',
    'unit',
    '--maxWorkers=1',
    `--testTimeout=${fuzzMs * 10 + graceMs}`,
    '--reporter=dot',
  ]
  const child = spawn(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), ...args, ...files], {
    cwd: root,
    env: {
      ...process.env,
      THREADBOX_FUZZ_MS: String(fuzzMs),
      THREADBOX_FUZZ_REPORT: report,
      THREADBOX_TEST_SEED: String(seed),
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  let isStopped = false
  const timer = setInterval(() => {
    if (Date.now() - statSync(report).mtimeMs < fuzzMs + graceMs) return
    isStopped = true
    child.kill('SIGKILL')
  }, 1000)
  await once(child, 'exit')
  clearInterval(timer)
  return isStopped
}

function readOrRefuse() {
  try {
    return readFuzzArguments(process.argv.slice(2), { seed: Date.now() % 1_000_000 })
  } catch (error) {
    console.error(`✗ ${error instanceof Error ? error.message : error}`)
    process.exit(2)
  }
}
