import { readFile } from 'node:fs/promises'

/** The unit of processor time in /proc: the same on every architecture. */
const msPerTick = 10

/**
 * Processor time that the whole machine has spent on anything, in milliseconds, without what a hypervisor took. The group
 * of all processes, of cgroup v1, measures each of their turns; elsewhere there are only the kernel’s samples, a hundred
 * per second, which miss programs that run for less.
 */
export async function machineMs(): Promise<number> {
  const nanoseconds = await read('/sys/fs/cgroup/cpuacct/cpuacct.usage')
  if (nanoseconds !== undefined) return Number(nanoseconds) / 1e6
  const [first = ''] = (await readFile('/proc/stat', 'utf8')).split('\n', 1)
  const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0] = first.trim().split(/\s+/).slice(1).map(Number)
  return (user + nice + system + irq + softIrq) * msPerTick
}

/** Processor time of a process in milliseconds: its own, and that of the children that it started and that have ended. */
export async function processMs(pid: number): Promise<{ own: number; children: number }> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8')
  // The name, in parentheses, can contain anything.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [user = 0, system = 0, childrenUser = 0, childrenSystem = 0] = fields.slice(11, 15).map(Number)
  return { own: (user + system) * msPerTick, children: (childrenUser + childrenSystem) * msPerTick }
}

/** Processor time of all sandboxes of an installation so far, in milliseconds, also of those that are gone. */
export async function sandboxesMs(installation: string): Promise<number> {
  const name = `threadbox-${installation}`
  const nanoseconds = await read(`/sys/fs/cgroup/cpuacct/${name}/cpuacct.usage`)
  if (nanoseconds !== undefined) return Number(nanoseconds) / 1e6
  const stat = await read(`/sys/fs/cgroup/${name}/cpu.stat`)
  const microseconds = /^usage_usec (\d+)$/m.exec(stat ?? '')?.[1]
  // No sandbox has run yet.
  return Number(microseconds ?? 0) / 1e3
}

async function read(file: string): Promise<string | undefined> {
  return await readFile(file, 'utf8').catch(() => undefined)
}
