import { parseArgs } from 'node:util'
import type { PropertyReport } from '@threadbox/testkit/properties'
import type { CheckedProperty } from './testing-page.ts'

export function readFuzzArguments(args: string[], byDefault: { seed: number }): { minutes: number; seed: number } {
  const { values } = parseArgs({ args, options: { minutes: { type: 'string' }, seed: { type: 'string' } } })
  const { minutes = '10', seed = String(byDefault.seed) } = values
  if (!/^\d+(\.\d+)?$/.test(minutes) || Number(minutes) === 0) {
    throw new Error(`--minutes must be a number above 0, not '${minutes}'.`)
  }
  if (!/^\d{1,9}$/.test(seed)) throw new Error(`--seed must be a number of up to 9 digits, not '${seed}'.`)
  return { minutes: Number(minutes), seed: Number(seed) }
}

/** The last report of each property; a line that a killed process wrote in part is left out. */
export function lastReports(text: string): Map<string, PropertyReport> {
  const lines = text.split('\n').slice(0, -1)
  return new Map(lines.map((line) => JSON.parse(line) as PropertyReport).map((report) => [report.name, report]))
}

/** One line per property, and below it what failed. */
export function fuzzLines(run: {
  properties: readonly CheckedProperty[]
  reports: ReadonlyMap<string, PropertyReport>
  isStopped: boolean
}): string[] {
  const lines = run.properties.flatMap(({ name, file }) => {
    const found = run.reports.get(name)
    if (found === undefined) return [`NOT RUN ${name} (${file})`]
    const { cases, seed, failure, keptIn } = found
    if (cases === undefined) return [`NOT ENDED ${name} (${file}), fast-check seed ${seed}`]
    if (failure === undefined) return [`ok ${name}: ${cases} cases, fast-check seed ${seed}`]
    const kept = keptIn === undefined ? [] : [`  kept in ${keptIn}`]
    return [`FAILED ${name} (${file}) after ${cases} cases`, ...failure.split('\n').map((line) => `  ${line}`), ...kept]
  })
  const failed = lines.filter((line) => /^(FAILED|NOT) /.test(line)).length
  const total = [...run.reports.values()].reduce((sum, { cases = 0 }) => sum + cases, 0)
  const stopped = run.isStopped ? ['Stopped: a property did not end in time.'] : []
  return [...lines, ...stopped, `${run.properties.length} properties, ${total} cases, ${failed} failed or not ended`]
}
