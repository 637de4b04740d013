import { readFileSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'

/**
 * State of the machine, from which the duration of a run can be judged: it says something about the tests on a machine
 * of the reference size on which nothing else ran. Between stages no test runs: any load at that time comes from other
 * programs.
 */
export type MachineLoad = {
  /** Share of the processors that was busy while no test ran. */
  busyShare: number
  /** Shortest duration of a fixed piece of work, in milliseconds: reveals a slow or throttled processor. */
  workMs: number
  /** Since the machine started, in ticks: time taken by other machines on the same processor, and all time. */
  stolenTicks: number
  allTicks: number
}

/** The machine size that the limits are for, and the load of a machine that counts as idle. */
export const reference = { cores: 2, memoryBytes: 22 * 2 ** 30, busyShare: 0.15, stolenShare: 0.03, workMs: 300 }

const sampleMs = 1500

export async function measureMachine(): Promise<MachineLoad> {
  const before = ticks()
  await delay(sampleMs)
  const after = ticks()
  const busy = after.busy - before.busy
  return {
    busyShare: busy / Math.max(1, after.all - before.all),
    workMs: Math.min(...Array.from({ length: 5 }, fixedWork)),
    stolenTicks: after.stolen,
    allTicks: after.all,
  }
}

/** Why the duration of a run is not judged; undefined if it is. `looks`: before the first stage and after each. */
export function reasonNotToJudge(
  looks: readonly MachineLoad[],
  machine = { cores: availableParallelism(), memoryBytes: totalmem() },
): string | undefined {
  if (machine.cores < reference.cores || machine.memoryBytes < reference.memoryBytes)
    return 'this machine is smaller than the reference machine'
  const busiest = Math.max(...looks.map(({ busyShare }) => busyShare))
  if (busiest > reference.busyShare) return `other programs kept ${Math.round(busiest * 100)} % of the processors busy`
  const slowest = Math.max(...looks.map(({ workMs }) => workMs))
  if (slowest > reference.workMs)
    return `the processors are slower (${Math.round(slowest)} ms instead of ${reference.workMs} ms)`
  const [first, last] = [looks[0], looks.at(-1)]
  if (first === undefined || last === undefined) return 'the machine was not measured'
  const stolen = (last.stolenTicks - first.stolenTicks) / Math.max(1, last.allTicks - first.allTicks)
  if (stolen > reference.stolenShare)
    return `other virtual machines took ${Math.round(stolen * 100)} % of the processors`
  return undefined
}

function ticks(): { busy: number; stolen: number; all: number } {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n')
  const figures = line.trim().split(/\s+/).slice(1, 9).map(Number)
  const [, , , idle = 0, waiting = 0, , , stolen = 0] = figures
  const all = figures.reduce((sum, figure) => sum + figure, 0)
  return { busy: all - idle - waiting, stolen, all }
}

function fixedWork(): number {
  const begun = performance.now()
  let value = 1
  for (let round = 0; round < 60_000_000; round += 1) value = (Math.imul(value ^ (value >>> 15), 1 | value) + round) | 0
  const took = performance.now() - begun
  // An unused result would not be computed.
  return value === 0.5 ? 0 : took
}
