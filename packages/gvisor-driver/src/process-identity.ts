import { readFile } from 'node:fs/promises'

/** One process for ever: a pid alone may belong to another process tomorrow. */
export type ProcessIdentity = { pid: number; startTicks: string }

/** Identity of a process that lives now; undefined when there is none with this pid or it is a zombie. */
export async function identifyProcess(pid: number): Promise<ProcessIdentity | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  if (stat === undefined) return undefined
  // The name in parentheses may itself hold spaces and parentheses, so fields are counted after the last one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, startTicks] = [fields[0], fields[19]]
  if (startTicks === undefined || state === 'Z' || state === 'X') return undefined
  return { pid, startTicks }
}

/** True while this very process lives. A zombie does not live: nobody may ever reap it. */
export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  return (await identifyProcess(identity.pid))?.startTicks === identity.startTicks
}

/** Changes with every start of the machine: records with another value are about processes that are gone. */
export async function machineBootId(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim()
}
