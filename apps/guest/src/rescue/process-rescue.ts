import { readFileSync, statSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { ManifestProcess, RescueReport, RestartObstacle } from '@threadbox/protocol/guest'
import {
  describeProcess,
  isSubshell,
  linkOf,
  type RuntimeProcesses,
  userIdOf,
  userProcesses,
} from '../manifest/processes.ts'
import { sendSignal } from '../processes/process-family.ts'
import type { ProcessEntry } from '../processes/process-table.ts'
import type { StoredProcess } from './rescue-store.ts'

type RescuedProcess = RescueReport['processes'][number]

/** Programs that clean up when they end do it within a few seconds. */
const politeMs = 5_000
const killPasses = 50
const pollMs = 20

/** Stops the user's processes. Kernels keep running, because they are asked; runtime processes are left alone. */
export function stopUserProcesses(runtimeProcesses: RuntimeProcesses): ProcessEntry[] {
  const stopped = new Map<number, ProcessEntry>()
  // A process that was about to start another one has started it by the second pass.
  for (let pass = 0; pass < killPasses; pass += 1) {
    const running = userProcesses().users.filter(({ pid }) => !stopped.has(pid) && !runtimeProcesses.kernels.has(pid))
    if (running.length === 0) break
    for (const entry of running) {
      sendSignal(entry.pid, 'SIGSTOP')
      stopped.set(entry.pid, entry)
    }
  }
  return [...stopped.values()]
}

export function continueProcesses(entries: ProcessEntry[]) {
  for (const { pid } of entries) sendSignal(pid, 'SIGCONT')
}

/** Describes the processes and what starting them again takes. Parts of another process are left out. */
export function describeForRestart(
  entries: ProcessEntry[],
  runtimeProcesses: RuntimeProcesses,
): { told: RescuedProcess[]; stored: StoredProcess[] } {
  const waiting = waitingSubshells(entries)
  const described = entries
    .filter(({ pid }) => !waiting.has(pid))
    .map((entry) => ({ entry, shown: describeProcess(entry, runtimeProcesses) }))
  const programs = new Set(described.filter(({ shown }) => isProgram(shown.role)).map(({ shown }) => shown.pid))
  const terminals = new Set(described.filter(({ shown }) => shown.role === 'terminal').map(({ shown }) => shown.pid))
  const heads = described.filter(({ shown }) => shown.role !== 'shell' && !programs.has(shown.parentPid))
  const told: RescuedProcess[] = []
  const stored: StoredProcess[] = []
  for (const { entry, shown } of heads) {
    const id = `${shown.pid}-${shown.startTicks}`
    const files = [0, 1, 2].map((number) => fileBehind(`/proc/${shown.pid}/fd/${number}`))
    const role = shown.role === 'service' || shown.role === 'terminal' ? shown.role : ('user' as const)
    told.push({
      id,
      pid: shown.pid,
      commandLine: shown.commandLine,
      cwd: shown.cwd,
      role,
      obstacle: obstacleOf(shown, {
        isInTerminal: terminals.has(entry.session) || role === 'terminal',
        isOfKernel: runtimeProcesses.kernels.has(shown.parentPid),
        isSubshell: isSubshell(entry),
      }),
    })
    stored.push({
      id,
      commandLine: shown.commandLine,
      executable: linkOf(`/proc/${shown.pid}/exe`),
      cwd: shown.cwd,
      uid: userIdOf(shown.pid),
      environment: environmentOf(shown.pid),
      files,
    })
  }
  return { told, stored }
}

const oneSecondTicks = 100

/**
 * Subshells that began with one program and wait for its end, as that of `cd app && server &` does: nothing is lost
 * with them. For a loop, only the first round looks the same.
 */
function waitingSubshells(entries: ProcessEntry[]): Set<number> {
  const byParent = Map.groupBy(entries, ({ parent }) => parent)
  const waiting = entries.filter((entry) => {
    const [program, ...others] = byParent.get(entry.pid) ?? []
    if (program === undefined || others.length > 0) return false
    return program.startTicks - entry.startTicks < oneSecondTicks && isSubshell(entry)
  })
  return new Set(waiting.map(({ pid }) => pid))
}

function isProgram(role: string): boolean {
  return role === 'user' || role === 'service'
}

/** Forks of a kernel and Python's own helpers mean nothing without their kernel. */
const kernelHelper = /\/kernel\.py$|multiprocessing|joblib|loky/

function obstacleOf(
  shown: ManifestProcess,
  place: { isInTerminal: boolean; isOfKernel: boolean; isSubshell: boolean },
): RestartObstacle | '' {
  if (place.isSubshell) return 'shell-part'
  if (place.isInTerminal) return 'terminal'
  if (place.isOfKernel && shown.commandLine.some((word) => kernelHelper.test(word))) {
    return 'python-helper'
  }
  if (shown.commandLine.length === 0) return 'no-command-line'
  if (shown.cwd === '' || shown.cwd.endsWith(' (deleted)')) return 'no-directory'
  const input = linkOf(`/proc/${shown.pid}/fd/0`)
  if (/^(pipe|socket):/.test(input)) return 'piped-input'
  return shown.commandLine.at(-1) === '-' && input !== '/dev/null' ? 'program-from-input' : ''
}

/** Returns the path of a regular file that still has its name. */
function fileBehind(path: string): string {
  const target = linkOf(path)
  if (!target.startsWith('/') || target.endsWith(' (deleted)')) return ''
  return statSync(target, { throwIfNoEntry: false })?.isFile() === true ? target : ''
}

function environmentOf(pid: number): Record<string, string> {
  let text = ''
  try {
    text = readFileSync(`/proc/${pid}/environ`, 'utf8')
  } catch {
    // It ended although it was stopped: another process killed it.
  }
  return Object.fromEntries(
    text.split('\0').flatMap((entry) => {
      const end = entry.indexOf('=')
      return end > 0 ? [[entry.slice(0, end), entry.slice(end + 1)]] : []
    }),
  )
}

/**
 * Ends every user process: services first, each from its first process so that it ends its own parts in order, then the
 * rest, kernels last. Returns the names of processes that could not be ended.
 */
export async function endUserProcesses(runtimeProcesses: RuntimeProcesses): Promise<string[]> {
  const roleOf = (entry: ProcessEntry) => describeProcess(entry, runtimeProcesses).role
  const others = () => userProcesses().users.filter(({ pid }) => !runtimeProcesses.kernels.has(pid))
  const services = others().filter((entry) => roleOf(entry) === 'service')
  const isHead = (entry: ProcessEntry) => !services.some(({ pid }) => pid === entry.parent)
  await ask(services.filter(isHead), () => services.filter(isAlive))
  await ask(others(), others)
  await kill(others)
  await kill(() => userProcesses().users)
  return userProcesses().users.map(({ name, pid }) => `${name} (process ${pid})`)
}

function isAlive(entry: ProcessEntry): boolean {
  return userProcesses().users.some(({ pid, startTicks }) => pid === entry.pid && startTicks === entry.startTicks)
}

async function ask(entries: ProcessEntry[], left: () => ProcessEntry[]) {
  if (entries.length === 0) return
  for (const { pid } of entries) sendSignal(pid, 'SIGTERM')
  // The signal waits until a stopped process continues.
  continueProcesses(left())
  continueProcesses(entries)
  const deadline = performance.now() + politeMs
  while (performance.now() < deadline && left().length > 0) await delay(pollMs)
}

async function kill(left: () => ProcessEntry[]) {
  for (let pass = 0; pass < killPasses && left().length > 0; pass += 1) {
    for (const { pid } of left()) sendSignal(pid, 'SIGKILL')
    await delay(pollMs)
  }
}
