import { percentile } from '../performance/figure.ts'
import type { Kill } from './chaos.ts'

/** The promise of issue 7: a thread is usable again this long after any kill. */
const promisedMs = 2000

/** A line for each victim, for each phase, and for all together. */
export function describeRecovery(kills: readonly Kill[]): string {
  const groups = [
    ...groupsBy(kills, ({ victim }) => victim),
    ...groupsBy(kills, ({ phase }) => `during ${phase}`),
    ['all', kills] as const,
  ]
  return groups.map(([name, some]) => `Recovery, ${name}: ${describe(some)}`).join('\n')
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
