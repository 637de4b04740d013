import type { Machine, MachineHistory, MachinePoint, MachineSpan } from '@threadbox/protocol/public'
import type { MachineSampleRow } from './machine.table.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

export const slotMs = 5 * minuteMs
export const keptMs = 30 * dayMs

/** About as many points as a chart has pixels. */
const spans: Record<MachineSpan, { lengthMs: number; stepMs: number }> = {
  day: { lengthMs: dayMs, stepMs: slotMs },
  month: { lengthMs: keptMs, stepMs: 2 * hourMs },
}

export function spanStart(span: MachineSpan, now: number): number {
  return now - spans[span].lengthMs
}

type Rates = Pick<MachinePoint, 'cpuShare' | 'receivedPerSecond' | 'sentPerSecond'>
const noRates: Rates = { cpuShare: null, receivedPerSecond: null, sentPerSecond: null }

/** A rate over a longer gap would hide what happened in it. */
const longestGapMs = 3 * slotMs

export function historyOf(
  samples: readonly MachineSampleRow[],
  { span, now }: { span: MachineSpan; now: number },
): MachineHistory {
  const { stepMs } = spans[span]
  const measured = samples.map((sample, index) => ({ ...sample, ...ratesBetween(samples[index - 1], sample) }))
  const steps = [...Map.groupBy(measured, ({ at }) => Math.floor(at / stepMs) * stepMs)]
  const newest = samples.at(-1)
  return {
    from: spanStart(span, now),
    to: now,
    stepMs,
    memoryTotalBytes: newest?.memory_total ?? 0,
    diskTotalBytes: newest?.disk_total ?? 0,
    points: steps.map(([at, rows]) => ({
      at,
      memoryUsedBytes: Math.round(meanOf(rows.map((row) => row.memory_used)) ?? 0),
      sandboxesBytes: Math.round(meanOf(rows.map((row) => row.memory_sandboxes)) ?? 0),
      diskUsedBytes: Math.round(meanOf(rows.map((row) => row.disk_used)) ?? 0),
      cpuShare: meanOf(rows.map((row) => row.cpuShare)),
      receivedPerSecond: meanOf(rows.map((row) => row.receivedPerSecond)),
      sentPerSecond: meanOf(rows.map((row) => row.sentPerSecond)),
      awake: meanOf(rows.map((row) => row.awake)) ?? 0,
      waiting: meanOf(rows.map((row) => row.waiting)) ?? 0,
    })),
  }
}

function ratesBetween(before: MachineSampleRow | undefined, now: MachineSampleRow): Rates {
  const elapsedMs = before === undefined ? 0 : now.at - before.at
  if (before === undefined || elapsedMs <= 0 || elapsedMs > longestGapMs) return noRates
  const perSecond = (from: number | null, to: number | null) =>
    from === null || to === null || to < from ? null : ((to - from) / elapsedMs) * 1000
  const busyPerSecond = perSecond(before.busy_ms, now.busy_ms)
  return {
    cpuShare: busyPerSecond === null ? null : Math.min(1, busyPerSecond / 1000 / Math.max(1, now.processors)),
    receivedPerSecond: perSecond(before.received, now.received),
    sentPerSecond: perSecond(before.sent, now.sent),
  }
}

function meanOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length
}

/** How far back the growth is measured, and the least that says anything. */
export const growthMs = 7 * dayMs
const leastGrowthMs = dayMs
/** A date further away is a guess. */
const farthestMs = 5 * 365 * dayMs

/** The slope of the line through the samples, and when that line reaches the size of the pool. */
export function growthOf(samples: readonly MachineSampleRow[]): Machine['growth'] {
  const [first, last] = [samples[0], samples.at(-1)]
  if (first === undefined || last === undefined || last.at - first.at < leastGrowthMs) {
    return { bytesPerDay: null, fullAt: null }
  }
  const days = samples.map(({ at }) => (at - first.at) / dayMs)
  const used = samples.map(({ disk_used }) => disk_used)
  const [middleDay, middleUsed] = [meanOf(days) ?? 0, meanOf(used) ?? 0]
  const spread = days.reduce((sum, day) => sum + (day - middleDay) ** 2, 0)
  const shared = days.reduce((sum, day, index) => sum + (day - middleDay) * ((used[index] ?? 0) - middleUsed), 0)
  const bytesPerDay = Math.round(shared / spread)
  const untilFullMs = ((last.disk_total - last.disk_used) / bytesPerDay) * dayMs
  const isNear = bytesPerDay > 0 && untilFullMs < farthestMs
  return { bytesPerDay, fullAt: isNear ? Math.round(last.at + Math.max(0, untilFullMs)) : null }
}
