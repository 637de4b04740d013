import { linkOf, userProcesses } from '../manifest/processes.ts'
import { commandLine } from '../processes/process-table.ts'
import { holderOf, listListeners } from './listeners.ts'

/** A port that a program of the user listens on without being a service. */
export type OpenPort = { port: number; command: string; cwd: string }

/** More are not offered to anybody: a port scanner's honeypot is no web page. */
const maxOpenPorts = 50

/** Ports whose holder cannot be told are left out: they may be the guest's. */
export function findOpenPorts(options: {
  guestPorts: number[]
  isFurniture(inode: string): boolean
  isService(pid: number): boolean
}): OpenPort[] {
  const listeners = listListeners().filter(
    ({ port, inode }) => !options.guestPorts.includes(port) && !options.isFurniture(inode),
  )
  if (listeners.length === 0) return []
  const pids = userProcesses().users.map(({ pid }) => pid)
  const found = new Map<number, OpenPort>()
  for (const { port, inode } of listeners) {
    const pid = found.has(port) ? undefined : holderOf(inode, pids)
    if (pid === undefined || options.isService(pid)) continue
    found.set(port, { port, command: commandLine(pid).slice(0, 500), cwd: linkOf(`/proc/${pid}/cwd`) })
  }
  return [...found.values()].sort((one, other) => one.port - other.port).slice(0, maxOpenPorts)
}
