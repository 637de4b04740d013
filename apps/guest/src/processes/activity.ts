import { readFileSync } from 'node:fs'
import type { GuestActivity } from '@threadbox/protocol/guest'
import { isZombie, listProcesses, type ProcessEntry } from './process-table.ts'

/** Clock ticks per second in `/proc/<pid>/stat`, fixed in Linux's interface. */
const ticksPerSecond = 100

/**
 * Reads which of the user's processes are active. `guestPids` are the guest's own processes; all others are the user's,
 * no matter which account runs them. The busiest process used most processor time since the last reading.
 */
export function makeActivityReader(dependencies: {
  runningKeys: () => string[]
  terminalsLastInputAt: () => number | null
  guestPorts: readonly number[]
}): { read(): GuestActivity; guestPids(): Set<number> } {
  let earlier = new Map<string, number>()
  let endedTicks = 0
  const guestPids = () => guestProcesses(listProcesses())
  const read = (): GuestActivity => {
    const processes = listProcesses()
    const own = guestProcesses(processes)
    const users = processes.filter((process) => !own.has(process.pid) && !isZombie(process))
    const now = new Map(users.map((process) => [`${process.pid}/${process.startTicks}`, process.cpuTicks]))
    for (const [id, ticks] of earlier) if (!now.has(id)) endedTicks += ticks
    const busiest = busiestOf(users, earlier)
    earlier = now
    return {
      runningKeys: dependencies.runningKeys(),
      terminalsLastInputAt: dependencies.terminalsLastInputAt(),
      userCpuSeconds: (endedTicks + [...now.values()].reduce((sum, ticks) => sum + ticks, 0)) / ticksPerSecond,
      busiestProcess: busiest,
      listeningPorts: listeningPorts().filter((port) => !dependencies.guestPorts.includes(port)),
    }
  }
  return { read, guestPids }
}

export type ReadActivity = ReturnType<typeof makeActivityReader>['read']

/** The daemon, its parent process, and other processes of its own session. */
export function guestProcesses(processes: ProcessEntry[]): Set<number> {
  const self = processes.find((candidate) => candidate.pid === process.pid)
  const own = processes.filter((candidate) => candidate.session === self?.session)
  return new Set([1, process.pid, ...own.map((candidate) => candidate.pid)])
}

function busiestOf(users: ProcessEntry[], earlier: Map<string, number>): string | null {
  const used = users
    .map((process) => ({
      name: process.name,
      ticks: process.cpuTicks - (earlier.get(`${process.pid}/${process.startTicks}`) ?? 0),
    }))
    .filter((process) => process.ticks > 0)
  return used.sort((left, right) => right.ticks - left.ticks)[0]?.name ?? null
}

/** TCP ports that programs in the sandbox listen on. */
function listeningPorts(): number[] {
  const ports = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((path) => {
    let text = ''
    try {
      text = readFileSync(path, 'utf8')
    } catch {
      // A sandbox without IPv6 has no such file.
    }
    const listening = '0A'
    return text.split('\n').flatMap((line) => {
      const [, local, , state] = line.trim().split(/\s+/)
      return state === listening ? [Number.parseInt(local?.split(':')[1] ?? '0', 16)] : []
    })
  })
  return [...new Set(ports)].sort((left, right) => left - right)
}
