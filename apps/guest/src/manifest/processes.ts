import { readFileSync, readlinkSync } from 'node:fs'
import type { ManifestProcess } from '@threadbox/protocol/guest'
import { guestProcesses } from '../processes/activity.ts'
import { runVariable } from '../processes/process-family.ts'
import {
  isZombie,
  listProcesses,
  type ProcessEntry,
  readInitialVariable,
  readProcess,
} from '../processes/process-table.ts'
import { shellBody } from '../runs/session-script.ts'

const ticksPerSecond = 100

/** Executions with such a key are services of the thread: the server starts them so. */
const serviceKey = /^service[-_:]([a-z0-9-]*)/

/** Processes that have not ended and are not the guest's own. */
export function userProcesses(): { users: ProcessEntry[]; guests: Set<number> } {
  const processes = listProcesses()
  const guests = guestProcesses(processes)
  return { users: processes.filter((entry) => !guests.has(entry.pid) && !isZombie(entry)), guests }
}

/** Pids of runtime processes, by kind. */
export type RuntimeProcesses = { kernels: Set<number>; terminals: Set<number> }

export function describeProcess(entry: ProcessEntry, runtimeProcesses: RuntimeProcesses): ManifestProcess {
  const commandLine = readCommandLine(entry.pid)
  return {
    pid: entry.pid,
    startTicks: String(entry.startTicks),
    startedAt: Math.round(Date.now() - uptimeMs() + (entry.startTicks / ticksPerSecond) * 1000),
    parentPid: entry.parent,
    name: entry.name,
    executable: linkOf(`/proc/${entry.pid}/exe`),
    commandLine: isCommandShell(commandLine) ? [entry.name] : commandLine,
    cwd: linkOf(`/proc/${entry.pid}/cwd`),
    user: userName(entry.pid),
    memoryBytes: entry.residentBytes,
    ...partOf(entry, { runtimeProcesses, commandLine }),
  }
}

/** Returns true for a shell that runs a command or waits for one, and for the subshells of its command. */
function isCommandShell(commandLine: string[]): boolean {
  return commandLine.includes(shellBody)
}

/**
 * Returns true for a subshell of a command, such as `( … ) &`: the user's, although it has the guest's command line. What it
 * forks has that command line until it becomes a program, and is a part of it.
 */
export function isSubshell(entry: ProcessEntry): boolean {
  return isCommandShell(readCommandLine(entry.pid)) && isForkOfCommand(entry)
}

/** Tells whether a process with the command line of such a shell is a subshell. */
function isForkOfCommand({ pid, session, parent }: ProcessEntry): boolean {
  if (pid === session) return false
  const above = readProcess(parent)
  return above === undefined || above.pid === above.session || !isCommandShell(readCommandLine(parent))
}

/** Returns only the role of what {@link describeProcess} describes. */
export function roleOf(entry: ProcessEntry, runtimeProcesses: RuntimeProcesses): ManifestProcess['role'] {
  return partOf(entry, { runtimeProcesses, commandLine: readCommandLine(entry.pid) }).role
}

/** Returns the group that the process belongs to. */
function partOf(
  entry: ProcessEntry,
  known: { runtimeProcesses: RuntimeProcesses; commandLine: string[] },
): Pick<ManifestProcess, 'role' | 'service'> {
  const plain = { service: '' }
  if (known.runtimeProcesses.kernels.has(entry.pid)) return { role: 'kernel', ...plain }
  if (known.runtimeProcesses.terminals.has(entry.pid)) return { role: 'terminal', ...plain }
  if (isCommandShell(known.commandLine) && !isForkOfCommand(entry)) return { role: 'shell', ...plain }
  const service = serviceKey.exec(readInitialVariable(entry.pid, runVariable) ?? '')
  return service === null ? { role: 'user', ...plain } : { role: 'service', service: service[1] ?? '' }
}

export function readCommandLine(pid: number): string[] {
  const text = readText(`/proc/${pid}/cmdline`)
  return text === '' ? [] : text.replace(/\0$/, '').split('\0')
}

export function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

function uptimeMs(): number {
  return Number(readText('/proc/uptime').split(' ')[0] ?? 0) * 1000
}

/** Returns the real user id of a process. */
export function userIdOf(pid: number): number {
  return Number(/^Uid:\s+(\d+)/m.exec(readText(`/proc/${pid}/status`))?.[1] ?? -1)
}

function userName(pid: number): string {
  const uid = String(userIdOf(pid))
  const line = readText('/etc/passwd')
    .split('\n')
    .find((entry) => entry.split(':')[2] === uid)
  return line?.split(':')[0] ?? uid
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
