import { runs } from '@threadbox/protocol/guest'
import type { Logger } from '@threadbox/telemetry'
import { guestProcesses } from '../processes/activity.ts'
import { runVariable, sendSignal } from '../processes/process-family.ts'
import { isZombie, listProcesses, type ProcessEntry, readInitialVariable } from '../processes/process-table.ts'
import { type Calm, calmCheckMs } from './calm.ts'
import { readMemory } from './memory.ts'
import type { Termination, Terminations } from './terminations.ts'

/** Share of the limit at which a process is killed, so that the host's limit, which ends the sandbox, is not reached. */
const killShare = 0.92
/** Above this share of the limit memory is checked often: a program can fill the rest in well under a second. */
const fastPollShare = 0.6
const pollMs = 500
const fastPollMs = 50
const mebibyte = 1024 * 1024
/** Longest wait before the next kill: memory stays full until the kernel has freed that of the killed process. */
const freeTimeoutMs = 2_000
/**
 * Share of the limit by which memory has grown since a kill if another process fills it, so that the next kill does not
 * wait. The killed process cannot allocate that much before the signal reaches it.
 */
const growthShare = 0.04

/** Kills the largest process that does not belong to the guest daemon, before memory runs out. */
export type MemoryWatchdog = {
  /** Sets a dispensable process, which is killed before any other, whatever its size; undefined for none. */
  setPreferredVictim(pid: number | undefined): void
  stop(): void
}

export function startMemoryWatchdog(dependencies: {
  /** Undefined until the host has reported it. */
  limitBytes: () => number | undefined
  terminations: Pick<Terminations, 'add'>
  calm: Pick<Calm, 'isCalm' | 'onEnd'>
  logger: Logger
}): MemoryWatchdog {
  const { calm } = dependencies
  let timer: NodeJS.Timeout
  let isStopped = false
  let preferredVictim: number | undefined
  let lastKill: MemorySample | undefined
  const check = () => {
    const limitBytes = dependencies.limitBytes()
    const { usedBytes } = readMemory()
    const share = limitBytes === undefined ? 0 : usedBytes / limitBytes
    if (share < killShare) lastKill = undefined
    const now: MemorySample = { at: performance.now(), usedBytes }
    if (limitBytes !== undefined && share >= killShare && !isBeingFreed(lastKill, { ...now, limitBytes })) {
      const termination = killVictim({ limitBytes, usedBytes, preferredVictim })
      if (termination !== undefined) {
        lastKill = now
        dependencies.terminations.add(termination)
        dependencies.logger.warn({ pids: [...termination.pids], share }, 'memory nearly full, process killed')
      }
    }
    const usualMs = share > fastPollShare ? fastPollMs : pollMs
    timer = setTimeout(check, calm.isCalm() ? calmCheckMs : usualMs)
  }
  timer = setTimeout(check, pollMs)
  calm.onEnd(() => {
    if (isStopped) return
    clearTimeout(timer)
    timer = setTimeout(check, pollMs)
  })
  return {
    setPreferredVictim: (pid) => {
      preferredVictim = pid
    },
    stop: () => {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

/** The memory in use at a time, in ms of `performance.now()`. */
type MemorySample = { at: number; usedBytes: number }

/** Tells whether memory can still be full of the last killed process, so that the next kill would hit the wrong one. */
export function isBeingFreed(lastKill: MemorySample | undefined, now: MemorySample & { limitBytes: number }): boolean {
  if (lastKill === undefined || now.at - lastKill.at >= freeTimeoutMs) return false
  return now.usedBytes - lastKill.usedBytes < now.limitBytes * growthShare
}

/** Kills the preferred victim, else the largest process. Undefined if there is none, or it could not be killed. */
function killVictim(options: {
  limitBytes: number
  usedBytes: number
  preferredVictim: number | undefined
}): Termination | undefined {
  const processes = listProcesses()
  const own = guestProcesses(processes)
  const candidates = processes.filter((process) => !own.has(process.pid) && !isZombie(process))
  const victim =
    candidates.find((process) => process.pid === options.preferredVictim) ??
    candidates.sort((left, right) => right.residentBytes - left.residentBytes)[0]
  if (victim === undefined) return undefined
  // Read before the kill: afterwards `/proc` no longer has it.
  const mark = readInitialVariable(victim.pid, runVariable)
  const termination: Termination = {
    cause: runs.EndCause.OUT_OF_MEMORY,
    at: performance.now(),
    pids: new Set([victim.pid]),
    marks: new Set(mark === undefined ? [] : [mark]),
    sessions: new Set([victim.session]),
    ancestors: ancestorsOf(victim, processes),
    message: `${victim.name} (process ${victim.pid}) was killed at ${inMebibytes(victim.residentBytes)}: the sandbox used ${inMebibytes(options.usedBytes)} of its ${inMebibytes(options.limitBytes)} of memory.`,
  }
  return sendSignal(victim.pid, 'SIGKILL') ? termination : undefined
}

function ancestorsOf(process: ProcessEntry, processes: ProcessEntry[]): Set<number> {
  const byPid = new Map(processes.map((entry) => [entry.pid, entry]))
  const ancestors = new Set<number>()
  for (let pid = process.parent; pid > 1 && !ancestors.has(pid); pid = byPid.get(pid)?.parent ?? 0) ancestors.add(pid)
  return ancestors
}

function inMebibytes(bytes: number): string {
  return `${Math.round(bytes / mebibyte)} MiB`
}
