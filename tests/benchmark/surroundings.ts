import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Surroundings } from './raw-samples.ts'

const run = promisify(execFile)

/** What figures depend on, besides the machine and the product. `folder` is on the pool. */
export async function describeSurroundings(folder: string): Promise<Surroundings> {
  const { stdout } = await run('findmnt', ['--noheadings', '--output', 'FSTYPE,SOURCE', '--target', folder])
  const [type = '', source = ''] = stdout.trim().split(/\s+/)
  const governor = await readFile('/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor', 'utf8').catch(() => 'none')
  const isGuest = (await readFile('/proc/cpuinfo', 'utf8')).includes(' hypervisor')
  return {
    fileSystem: `${type} on a ${source.startsWith('/dev/loop') ? 'file (loop device)' : 'disk'}`,
    governor: governor.trim(),
    virtualization: isGuest ? 'virtual machine' : 'no hypervisor',
  }
}

/** Ticks of all processors since boot. */
export type ProcessorTime = { total: number; busy: number; steal: number }

export async function readProcessorTime(): Promise<ProcessorTime> {
  const [line = ''] = (await readFile('/proc/stat', 'utf8')).split('\n')
  const [user = 0, nice = 0, system = 0, idle = 0, waiting = 0, hard = 0, soft = 0, steal = 0] = line
    .split(/\s+/)
    .slice(1)
    .map(Number)
  const busy = user + nice + system + hard + soft
  return { total: busy + idle + waiting + steal, busy, steal }
}

const windowMs = 200
const quietShare = 0.2

/** Resolves when the machine does little, so that what one technology still does isn’t counted to the next; or at the limit. */
export async function untilQuiet(limitMs: number): Promise<void> {
  const until = performance.now() + limitMs
  let before = await readProcessorTime()
  while (performance.now() < until) {
    await delay(windowMs)
    const now = await readProcessorTime()
    if ((now.busy - before.busy) / (now.total - before.total) < quietShare) return
    before = now
  }
}
