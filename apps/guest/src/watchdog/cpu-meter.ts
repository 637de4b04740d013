import { cpus } from 'node:os'
import { listProcesses } from '../processes/process-table.ts'

const ticksPerSecond = 100

/** Share of the sandbox's processors, in percent, that its processes used since the last reading. */
export function makeCpuMeter(clock: () => number): () => number {
  let earlier = new Map<string, number>()
  let readAt = clock()
  return () => {
    const now = new Map(listProcesses().map((process) => [`${process.pid}/${process.startTicks}`, process.cpuTicks]))
    const used = [...now].reduce((sum, [id, ticks]) => sum + Math.max(0, ticks - (earlier.get(id) ?? 0)), 0)
    const seconds = (clock() - readAt) / 1000
    const isFirst = earlier.size === 0
    earlier = now
    readAt = clock()
    if (isFirst || seconds <= 0) return 0
    return Math.min(100, Math.round((used / ticksPerSecond / seconds / cpus().length) * 1000) / 10)
  }
}
