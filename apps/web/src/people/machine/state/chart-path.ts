export type ChartPoint = { at: number; value: number | null }
export type ChartFrame = { from: number; to: number; stepMs: number; maximum: number; width: number; height: number }

/** Lines of an SVG path, one for each stretch of measurements; a gap in time is a gap in the chart. */
export function chartPath(points: readonly ChartPoint[], frame: ChartFrame): string {
  const { from, to, stepMs, maximum, width, height } = frame
  const x = (at: number) => round(((at - from) / Math.max(1, to - from)) * width)
  const y = (value: number) => round(height - (Math.min(value, maximum) / Math.max(1e-9, maximum)) * height)
  let before: number | undefined
  return points
    .flatMap(({ at, value }) => {
      if (value === null || at < from) {
        before = undefined
        return []
      }
      const isNext = before !== undefined && at - before <= stepMs * 1.5
      before = at
      // A single measurement is a dot: a line of no length with round ends.
      return isNext ? [`L${x(at)} ${y(value)}`] : [`M${x(at)} ${y(value)}h0`]
    })
    .join('')
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

export function highest(points: readonly ChartPoint[]): number {
  return Math.max(0, ...points.map(({ value }) => value ?? 0))
}

export function newest(points: readonly ChartPoint[]): number | null {
  return points.at(-1)?.value ?? null
}
