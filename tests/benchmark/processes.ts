import { readdir, readFile } from 'node:fs/promises'

/** What the machine says about processes; nothing of it comes from a driver. */

/** A clock tick of `/proc/PID/stat`, 100 a second on Linux. */
const tickMs = 10

/** When a process began, in ticks since boot: a later process with the same number began later. Empty if it is gone. */
export async function startOf(pid: number): Promise<string> {
  return (await statOf(pid))[19] ?? ''
}

/** False for a zombie, which no longer holds anything. */
export async function isRunning(pid: number, start: string): Promise<boolean> {
  const fields = await statOf(pid)
  return fields[19] === start && !['Z', 'X'].includes(fields[0] ?? '')
}

export async function processorMs(pid: number): Promise<number> {
  const fields = await statOf(pid)
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * tickMs
}

/** Memory of a process that isn’t of files, with its share of what it shares. */
export async function ownMemoryBytes(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')
  const kib = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(rollup)?.[1] ?? 0)
  return (kib('Pss_Anon') + kib('Pss_Shmem')) * 1024
}

/** Running processes whose environment at their start had this variable with this value. */
export async function processesWith(variable: string, value: string): Promise<number[]> {
  return await filterProcesses(async (pid) => {
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')
    return environment.split('\0').includes(`${variable}=${value}`)
  })
}

async function filterProcesses(fits: (pid: number) => Promise<boolean>): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const fitting = await Promise.all(pids.map(async (pid) => ((await fits(pid)) ? pid : [])))
  return fitting.flat()
}

/** The fields of `/proc/PID/stat` from the third, the state; the second can have spaces. */
async function statOf(pid: number): Promise<string[]> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return text.slice(text.lastIndexOf(')') + 2).split(' ')
}

/** All children of a process, theirs, and so on. */
export async function descendantsOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  const children = text.split(' ').flatMap((word) => (word.trim() === '' ? [] : Number(word)))
  return [...children, ...(await Promise.all(children.map(descendantsOf))).flat()]
}
