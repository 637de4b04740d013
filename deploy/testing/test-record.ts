import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { join } from 'node:path'
import type { RunReport } from './run-report.ts'
import { repeatedTests } from './testing-page.ts'

const root = join(import.meta.dirname, '../..')
const page = 'docs/test-record.md'

/** Writes `docs/test-record.md` from a run of the full set, including its failures; returns its path. */
export function writeTestRecord(report: RunReport): string {
  writeFileSync(join(root, page), recordPage(report, { ...machine(), repeats: repeatedTests(root) }))
  return page
}

export type RecordedRun = {
  commit: string
  at: string
  machine: string
  repeats: readonly { what: string; full: number }[]
}

export function recordPage(report: RunReport, run: RecordedRun): string {
  const minutes = report.stages.reduce((sum, { milliseconds }) => sum + milliseconds, 0) / 60_000
  const rows = report.stages.map(({ stage, result, milliseconds, files }) => {
    const figures = [files.length, result.passed, result.failures.length, result.unsteady.length]
    return `| ${stage} | ${figures.join(' | ')} | ${(milliseconds / 60_000).toFixed(1)} |`
  })
  const found = report.stages.flatMap(({ result }) => [
    ...result.failures.map(({ file, test }) => `- failed: \`${file}\`: ${test}`),
    ...result.unsteady.map(({ file, test }) => `- failed, then passed when run again: \`${file}\`: ${test}`),
  ])
  return [
    '# Record of the full tests',
    '',
    'The last run of `./threadbox test --full`, which writes this page. [testing.md](testing.md) lists what the full set repeats.',
    '',
    `- commit: \`${run.commit}\``,
    `- at: ${run.at}`,
    `- machine: ${run.machine}`,
    `- seed: ${report.seed}`,
    `- took: ${minutes.toFixed(1)} minutes`,
    '',
    '| Stage | Files | Passed | Failed | Unsteady | Minutes |',
    '|---|---|---|---|---|---|',
    ...rows,
    '',
    ...(found.length === 0 ? [] : ['## What failed', '', ...found, '']),
    '## Counts',
    '',
    '| What | Times |',
    '|---|---|',
    ...run.repeats.map(({ what, full }) => `| ${what} | ${full} |`),
    '',
  ].join('\n')
}

function machine(): Pick<RecordedRun, 'commit' | 'at' | 'machine'> {
  const git = (...args: string[]) => execFileSync('git', ['-C', root, ...args], { encoding: 'utf8' }).trim()
  const isClean = git('status', '--porcelain') === ''
  const processors = cpus()
  const model = processors[0]?.model.trim() ?? 'unknown processor'
  const system = existsSync('/etc/os-release')
    ? /^PRETTY_NAME="?([^"\n]*)/m.exec(readFileSync('/etc/os-release', 'utf8'))
    : null
  return {
    commit: `${git('rev-parse', 'HEAD')}${isClean ? '' : ' with changes'}`,
    at: new Date().toISOString().slice(0, 16).replace('T', ' '),
    machine: `${processors.length} × ${model}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${system?.[1] ?? 'Linux'}, kernel ${release()}`,
  }
}
