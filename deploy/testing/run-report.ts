import type { Stage } from './test-arguments.ts'
import { linesOf, type StageResult } from './test-report.ts'

/** The report of a test run at its end. */
export type RunReport = {
  stages: {
    stage: Stage
    result: StageResult
    milliseconds: number
    files: { file: string; milliseconds: number }[]
    started: Record<string, number>
  }[]
  seed: number
  isFull: boolean
}

/**
 * Limits of the default set on the reference machine, from the first stage to the end of the last. The aim is 33
 * minutes, and 90 s for a file; some files still take more, and these limits come down with them.
 */
export const limits = { runMinutes: 40, fileSeconds: 240 }

const slowestShown = 12

export function reportLines({ stages, seed, isFull }: RunReport): string[] {
  const slowest = stages
    .flatMap(({ files }) => files)
    .toSorted((one, other) => other.milliseconds - one.milliseconds)
    .slice(0, slowestShown)
  return [
    'slowest files',
    ...slowest.map(({ file, milliseconds }) => `  ${seconds(milliseconds)} s  ${file}`),
    '',
    'stages',
    ...stages.map((run) => {
      const state = run.result.failures.length === 0 ? 'ok' : 'FAILED'
      return `  ${seconds(run.milliseconds)} s  ${run.stage.padEnd(8)} ${state.padEnd(6)} ${startedText(run.started)}`.trimEnd()
    }),
    `  ${seconds(stages.reduce((sum, { milliseconds }) => sum + milliseconds, 0))} s  total, seed ${seed}`,
    '',
    ...stages.flatMap(({ stage, result }) => linesOf(stage, result, { seed, isFull })),
    totals(stages.map(({ result }) => result)),
  ]
}

/** What exceeded the limits of the default set, as sentences. On slower processors the limits are longer. */
export function overLimits({ stages, slowness }: Pick<RunReport, 'stages'> & { slowness: number }): string[] {
  const longer = Math.max(1, slowness)
  const runMinutes = limits.runMinutes * longer
  const fileMs = limits.fileSeconds * 1000 * longer
  const minutes = stages.reduce((sum, { milliseconds }) => sum + milliseconds, 0) / 60_000
  const slow = stages.flatMap(({ files }) => files).filter((each) => each.milliseconds > fileMs)
  return [
    ...(minutes > runMinutes
      ? [`The run took ${minutes.toFixed(1)} minutes; the limit is ${runMinutes.toFixed(1)}.`]
      : []),
    ...slow.map(
      ({ file, milliseconds }) =>
        `${file} took ${seconds(milliseconds).trim()} s; the limit per file is ${seconds(fileMs).trim()} s.`,
    ),
  ]
}

function totals(results: StageResult[]): string {
  const sum = (count: (result: StageResult) => number) => results.reduce((all, result) => all + count(result), 0)
  const [passed, failed] = [sum((result) => result.passed), sum((result) => result.failures.length)]
  return `${passed} passed, ${failed} failed, ${sum((result) => result.unsteady.length)} unsteady`
}

function startedText(started: Record<string, number>): string {
  const names: Record<string, string> = { host: 'host daemons', server: 'servers', browser: 'browsers' }
  const counts = Object.entries(names).flatMap(([kind, name]) => (started[kind] ? [`${started[kind]} ${name}`] : []))
  return counts.length === 0 ? '' : `started ${counts.join(', ')}`
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(1).padStart(7)
}
