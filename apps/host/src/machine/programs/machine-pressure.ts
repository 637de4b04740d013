import { readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'

/** Share of the last 10 seconds in which a task waited for a processor, above which the machine counts as busy. */
const busyShare = 0.1
/** Where the kernel does not measure that: runnable tasks per processor over the last minute. */
const busyLoad = 0.5

/** True if work that can wait would keep nothing else waiting for a processor. */
export async function isMachineIdle(directory = '/proc'): Promise<boolean> {
  const pressure = await readFile(`${directory}/pressure/cpu`, 'utf8').catch(() => undefined)
  const percent = /^some avg10=([\d.]+)/m.exec(pressure ?? '')?.[1]
  if (percent !== undefined) return Number(percent) / 100 < busyShare
  const load = Number((await readFile(`${directory}/loadavg`, 'utf8')).split(' ')[0])
  return load / availableParallelism() < busyLoad
}
