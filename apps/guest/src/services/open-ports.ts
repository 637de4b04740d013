import { linkOf, userProcesses } from '../manifest/processes.ts'
import { readDescriptors, socketInode } from '../processes/descriptors.ts'
import { commandLine } from '../processes/process-table.ts'
import { listListeners } from './listeners.ts'

/** A port that a user's program listens on without being a service. */
export type OpenPort = { port: number; command: string; cwd: string }

/** Ports beyond this number are not offered: a port scanner's honeypot is not a web page. */
const maxOpenPorts = 50

/** Leaves out ports whose holder is unknown: they can be the guest's. */
export function findOpenPorts(options: {
  guestPorts: readonly number[]
  isRuntimeSocket(inode: string): boolean
  isService(pid: number): boolean
}): OpenPort[] {
  const listeners = listListeners().filter(
    ({ port, inode }) => !options.guestPorts.includes(port) && !options.isRuntimeSocket(inode),
  )
  if (listeners.length === 0) return []
  const ports = new Map(listeners.map(({ inode, port }) => [inode, port]))
  const found = new Map<number, OpenPort>()
  // Reads each process once, until every holder is known.
  for (const { pid } of userProcesses().users) {
    if (ports.size === 0) break
    const held = (readDescriptors(pid) ?? []).flatMap((descriptor) => socketInode(descriptor) ?? [])
    for (const inode of held) {
      const port = ports.get(inode)
      ports.delete(inode)
      if (port === undefined || found.has(port) || options.isService(pid)) continue
      found.set(port, { port, command: commandLine(pid).slice(0, 500), cwd: linkOf(`/proc/${pid}/cwd`) })
    }
  }
  return [...found.values()].sort((one, other) => one.port - other.port).slice(0, maxOpenPorts)
}
