import { readFile } from 'node:fs/promises'

/** Identifies one process permanently: a PID alone can be reused. */
export type ProcessIdentity = { pid: number; startTicks: string }

/** The identity of a running process; undefined if there is none with this PID or it is a zombie. */
export async function identifyProcess(pid: number): Promise<ProcessIdentity | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  if (stat === undefined) return undefined
  // The name in parentheses can itself contain spaces and parentheses, so fields are counted after the last one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, startTicks] = [fields[0], fields[19]]
  if (startTicks === undefined || state === 'Z' || state === 'X') return undefined
  return { pid, startTicks }
}

/** True while this process is running. A zombie counts as ended, because it may never be reaped. */
export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  return (await identifyProcess(identity.pid))?.startTicks === identity.startTicks
}

/** Changes with every start of the host: records with another value refer to processes that are gone. */
export async function machineBootId(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim()
}
