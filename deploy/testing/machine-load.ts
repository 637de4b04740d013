import { readFileSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'

/** What a run found about its machine, from which its duration can be judged. */
export type MachineReport = {
  cores: number
  memoryBytes: number
  /** Largest share of the processors that was busy between stages. No test runs then: this is the load of other programs. */
  busyShare: number
  /** Share of the processors’ time that other virtual machines took. */
  stolenShare: number
  /** Share of the time in which every program that could run waited for a disk. */
  diskWaitShare: number
  /** How long the processors took for a fixed piece of work, as a multiple of the reference machine’s time. */
  slowness: number
  /** Processor time of the first write to a page of memory, in microseconds, while no test ran: the fastest found. */
  pageFaultMicros: number
}

/** The machine that the limits are for, and the load of a machine that counts as idle. */
export const reference = {
  cores: 2,
  memoryBytes: 22 * 2 ** 30,
  busyShare: 0.15,
  stolenShare: 0.03,
  diskWaitShare: 0.15,
  /** Processor time of {@link fixedWork}. */
  workMs: 12,
  /**
   * Half of the time of the system stage is spent in the kernel, most of it on memory of sandboxes. With 3 µs the
   * stage took 1.8 times as long as usual, on processors as fast as usual.
   */
  pageFaultMicros: 2,
}

const sampleMs = 1500
const workEveryMs = 10_000

/** Watches the machine during a run, with a thousandth of one processor. */
export function watchMachine(): { probe(): Promise<void>; end(): MachineReport } {
  const begun = counters()
  const busyShares: number[] = []
  const pageFaults: number[] = []
  const workMs = [fixedWork()]
  const timer = setInterval(() => workMs.push(fixedWork()), workEveryMs).unref()
  return {
    /** To be called while no test runs. */
    async probe() {
      const before = counters()
      await delay(sampleMs)
      const after = counters()
      pageFaults.push(pageFaultMicros())
      busyShares.push((after.busyTicks - before.busyTicks) / Math.max(1, after.allTicks - before.allTicks))
    },
    end() {
      clearInterval(timer)
      const ended = counters()
      return {
        cores: availableParallelism(),
        memoryBytes: totalmem(),
        busyShare: Math.max(...busyShares),
        stolenShare: (ended.stolenTicks - begun.stolenTicks) / Math.max(1, ended.allTicks - begun.allTicks),
        diskWaitShare: (ended.diskWaitMs - begun.diskWaitMs) / Math.max(1, ended.atMs - begun.atMs),
        slowness: medianOf(workMs) / reference.workMs,
        pageFaultMicros: Math.min(...pageFaults),
      }
    },
  }
}

/** Why the duration of a run is not judged; undefined if it is. */
export function reasonNotToJudge(machine: MachineReport): string | undefined {
  if (machine.cores < reference.cores || machine.memoryBytes < reference.memoryBytes)
    return 'this machine is smaller than the reference machine'
  if (machine.busyShare > reference.busyShare)
    return `other programs kept ${percent(machine.busyShare)} of the processors busy`
  if (machine.stolenShare > reference.stolenShare)
    return `other virtual machines took ${percent(machine.stolenShare)} of the processors`
  if (machine.diskWaitShare > reference.diskWaitShare)
    return `everything waited for the disk in ${percent(machine.diskWaitShare)} of the time`
  if (machine.pageFaultMicros > reference.pageFaultMicros)
    return `a page fault takes ${machine.pageFaultMicros.toFixed(1)} µs here (up to ${reference.pageFaultMicros} µs on the reference machine)`
  return undefined
}

export function machineLine(machine: MachineReport): string {
  return [
    `machine: a fixed piece of work took ${machine.slowness.toFixed(2)} × as long as on the reference machine`,
    `${percent(machine.busyShare)} busy with other programs`,
    `${percent(machine.stolenShare)} taken by other virtual machines`,
    `${percent(machine.diskWaitShare)} of the time spent waiting for the disk`,
    `${machine.pageFaultMicros.toFixed(1)} µs per page fault`,
  ].join('; ')
}

type Counters = { busyTicks: number; stolenTicks: number; allTicks: number; diskWaitMs: number; atMs: number }

/** Since the machine started. */
function counters(): Counters {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n')
  const figures = line.trim().split(/\s+/).slice(1, 9).map(Number)
  const [, , , idle = 0, waiting = 0, , , stolenTicks = 0] = figures
  const allTicks = figures.reduce((sum, figure) => sum + figure, 0)
  const busyTicks = allTicks - idle - waiting
  return { busyTicks, stolenTicks, allTicks, diskWaitMs: diskWaitMs(), atMs: performance.now() }
}

/** Zero on kernels without pressure information. */
function diskWaitMs(): number {
  try {
    return Number(/^full .*total=(\d+)/m.exec(readFileSync('/proc/pressure/io', 'utf8'))?.[1] ?? 0) / 1000
  } catch {
    return 0
  }
}

/**
 * Processor time of a fixed piece of work, in milliseconds. Tests that run at the same time hardly change it; a throttled
 * processor does, and so does one that other machines use without saying so.
 */
function fixedWork(): number {
  const begun = process.threadCpuUsage()
  let value = 1
  for (let round = 0; round < 6_000_000; round += 1) value = (Math.imul(value ^ (value >>> 15), 1 | value) + round) | 0
  const used = process.threadCpuUsage(begun)
  // An unused result would not be computed.
  return value === 0.5 ? 0 : (used.user + used.system) / 1000
}

const pageBytes = 4096
const touchedPages = 16 * 1024

function pageFaultMicros(): number {
  // Too large for the allocator to reuse: each page is new.
  const memory = Buffer.allocUnsafeSlow(touchedPages * pageBytes)
  const begun = process.threadCpuUsage()
  for (let at = 0; at < memory.length; at += pageBytes) memory[at] = 1
  const used = process.threadCpuUsage(begun)
  return (used.user + used.system) / touchedPages
}

function medianOf(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}
