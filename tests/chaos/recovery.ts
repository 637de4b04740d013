import { percentile } from '../performance/figure.ts'
import type { ChaosResult, Kill } from './chaos.ts'

/** The promise of issue 7: a thread is usable again this long after any kill. */
const promisedMs = 2000

/** A line for each victim, for each phase, for all together, and for the same without a kill. */
export function describeRecovery({ kills, controls }: Pick<ChaosResult, 'kills' | 'controls'>): string {
  const groups = [
    ...groupsBy(kills, ({ victim }) => victim),
    ...groupsBy(kills, ({ phase }) => `during ${phase}`),
    ['all', kills] as const,
    ['without a kill', controls] as const,
  ]
  return groups
    .filter(([, some]) => some.length > 0)
    .map(([name, some]) => `Recovery, ${name}: ${describe(some)}`)
    .join('\n')
}

function groupsBy(kills: readonly Kill[], nameOf: (kill: Kill) => string): (readonly [string, readonly Kill[]])[] {
  return [...Map.groupBy(kills, nameOf)].toSorted(([left], [right]) => left.localeCompare(right))
}

function describe(kills: readonly Kill[]): string {
  const samples = kills.map(({ recoveryMs }) => recoveryMs)
  const slow = samples.filter((sample) => sample > promisedMs).length
  const [median, most, slowest] = [percentile(samples, 0.5), percentile(samples, 0.95), Math.max(...samples)]
  return `${kills.length} kills, p50 ${median} ms, p95 ${most} ms, slowest ${slowest} ms, ${slow} over ${promisedMs} ms`
}
