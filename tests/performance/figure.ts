/**
 * One measured figure: repeated samples of what a user waits for, alternating with samples of its floor (the same thing
 * done by the bare parts), so that a slow minute of the machine slows both.
 */
export type Figure = {
  id: string
  title: string
  unit: 'ms' | 'MB/s' | 'MiB' | 'KiB' | '%' | '/s' | 'times'
  /** Samples of threadbox, in the order they were taken. */
  samples: number[]
  /** Samples of the floor; empty where there is none. */
  floorSamples: number[]
  floorTitle: string | null
  /** A target on the ratio to the floor, on the p50 itself, or both; null where the figure is only watched. */
  target: { maxRatio?: number; minRatio?: number; maxP50?: number; minP50?: number; maxP95?: number } | null
  /** What the p50 is to become one day; watched, never a failure. */
  aimP50?: number
  /** Where it is in a table of figures that belong together. */
  cell?: Cell
}

export type Cell = { table: string; row: string; column: string }

/** The row of `./threadbox bench --json`. `value` and `floor` are medians. */
export type FigureRow = {
  id: string
  title: string
  value: number
  p95: number
  unit: string
  floor: number | null
  ratio: number | null
  target: string | null
  isMet: boolean
  aim: string | null
  samples: number
  cell: Cell | null
}

/** The value below which `share` of the samples lie (nearest rank). NaN when there are none. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

export function rowOf(figure: Figure): FigureRow {
  const value = percentile(figure.samples, 0.5)
  const p95 = percentile(figure.samples, 0.95)
  const floor = figure.floorSamples.length === 0 ? null : percentile(figure.floorSamples, 0.5)
  const ratio = floor === null || floor === 0 ? null : value / floor
  const misses = missedTargets(figure, { value, p95, ratio })
  return {
    id: figure.id,
    title: figure.title,
    value: round(value),
    p95: round(p95),
    unit: figure.unit,
    floor: floor === null ? null : round(floor),
    ratio: ratio === null ? null : round(ratio),
    target: figure.target === null ? null : describeTarget(figure.target, figure.unit),
    isMet: misses.length === 0,
    aim: figure.aimP50 === undefined ? null : describeAim(figure.aimP50, { value, unit: figure.unit }),
    samples: figure.samples.length,
    cell: figure.cell ?? null,
  }
}

function missedTargets(figure: Figure, measured: { value: number; p95: number; ratio: number | null }): string[] {
  const { target } = figure
  if (target === null) return []
  if (figure.samples.length === 0) return ['no sample']
  const checks: [string, boolean][] = [
    ['maxRatio', target.maxRatio === undefined || (measured.ratio !== null && measured.ratio <= target.maxRatio)],
    ['minRatio', target.minRatio === undefined || (measured.ratio !== null && measured.ratio >= target.minRatio)],
    ['maxP50', target.maxP50 === undefined || measured.value <= target.maxP50],
    ['minP50', target.minP50 === undefined || measured.value >= target.minP50],
    ['maxP95', target.maxP95 === undefined || measured.p95 <= target.maxP95],
  ]
  return checks.filter(([, isMet]) => !isMet).map(([name]) => name)
}

function describeTarget(target: NonNullable<Figure['target']>, unit: string): string {
  const parts = [
    target.maxRatio === undefined ? [] : [`ratio ≤ ${target.maxRatio}`],
    target.minRatio === undefined ? [] : [`ratio ≥ ${target.minRatio}`],
    target.maxP50 === undefined ? [] : [`p50 ≤ ${target.maxP50} ${unit}`],
    target.minP50 === undefined ? [] : [`p50 ≥ ${target.minP50} ${unit}`],
    target.maxP95 === undefined ? [] : [`p95 ≤ ${target.maxP95} ${unit}`],
  ]
  return parts.flat().join(', ')
}

function describeAim(aimP50: number, { value, unit }: { value: number; unit: string }): string {
  return `p50 < ${aimP50} ${unit}: ${value < aimP50 ? 'reached' : 'not yet'}`
}

/** A figure in milliseconds without samples. */
export function emptyFigure(about: Omit<Figure, 'unit' | 'samples' | 'floorSamples'>): Figure {
  return { ...about, unit: 'ms', samples: [], floorSamples: [] }
}

function round(value: number): number {
  return value >= 100 ? Math.round(value) : Math.round(value * 100) / 100
}

/** Milliseconds that `work` takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}
