import { runs } from '@threadbox/protocol/guest'
import type { Logger } from '@threadbox/telemetry'
import { guestProcesses } from '../processes/activity.ts'
import { runVariable, sendSignal } from '../processes/process-family.ts'
import { isZombie, listProcesses, type ProcessEntry, startVariable } from '../processes/process-table.ts'
import { readMemory } from './memory.ts'
import type { Termination, Terminations } from './terminations.ts'

/** Share of the limit at which a process is ended, so that the host's limit, which ends the sandbox, is not reached. */
const actShare = 0.92
/** Above this share memory is checked often: a program can fill the rest in well under a second. */
const watchShare = 0.6
const calmMs = 500
const alertMs = 50
const mebibyte = 1024 * 1024
/** Longest wait for the memory of an ended process: until the kernel has freed it, the sandbox is as full as before. */
const settleMs = 2_000
/**
 * Growth after the end of a process, as a share of the limit, that is more than it adds until the signal reaches it.
 */
const growthShare = 0.04

/** Ends the largest process of the user before memory runs out. */
export type MemoryWatchdog = {
  /** Sets the process to end before any other, because it is dispensable; undefined for none. */
  setFirstVictim(pid: number | undefined): void
  stop(): void
}

export function startMemoryWatchdog(dependencies: {
  /** Undefined until the host has reported it. */
  limitBytes: () => number | undefined
  terminations: Pick<Terminations, 'add'>
  logger: Logger
}): MemoryWatchdog {
  let timer: NodeJS.Timeout
  let firstVictim: number | undefined
  let ended: LastEnd | undefined
  const check = () => {
    const limitBytes = dependencies.limitBytes()
    const { usedBytes } = readMemory()
    const share = limitBytes === undefined ? 0 : usedBytes / limitBytes
    if (share < actShare) ended = undefined
    const now = { at: performance.now(), usedBytes }
    if (limitBytes !== undefined && share >= actShare && !isBeingFreed(ended, { ...now, limitBytes })) {
      const termination = endLargest(limitBytes, firstVictim)
      if (termination !== undefined) {
        ended = now
        dependencies.terminations.add(termination)
        dependencies.logger.warn({ pids: [...termination.pids], share }, 'memory nearly full, largest process ended')
      }
    }
    timer = setTimeout(check, share > watchShare ? alertMs : calmMs)
  }
  timer = setTimeout(check, calmMs)
  return {
    setFirstVictim: (pid) => {
      firstVictim = pid
    },
    stop: () => clearTimeout(timer),
  }
}

/** When a process was ended, in ms of `performance.now()`, and the memory in use at that point. */
type LastEnd = { at: number; usedBytes: number }

/**
 * Tells whether memory can still be full of the process that was ended last, so that ending another would hit the wrong
 * one.
 */
export function isBeingFreed(ended: LastEnd | undefined, now: LastEnd & { limitBytes: number }): boolean {
  if (ended === undefined || now.at - ended.at >= settleMs) return false
  return now.usedBytes - ended.usedBytes < now.limitBytes * growthShare
}

function endLargest(limitBytes: number, firstVictim: number | undefined): Termination | undefined {
  const processes = listProcesses()
  const own = guestProcesses(processes)
  const users = processes.filter((process) => !own.has(process.pid) && !isZombie(process))
  const largest =
    users.find((process) => process.pid === firstVictim) ??
    users.sort((left, right) => right.residentBytes - left.residentBytes)[0]
  if (largest === undefined) return undefined
  const mark = startVariable(largest.pid, runVariable)
  const termination: Termination = {
    cause: runs.EndCause.OUT_OF_MEMORY,
    at: performance.now(),
    pids: new Set([largest.pid]),
    marks: new Set(mark === undefined ? [] : [mark]),
    sessions: new Set([largest.session]),
    ancestors: ancestorsOf(largest, processes),
    words: `${largest.name} (process ${largest.pid}) was killed at ${inMebibytes(largest.residentBytes)} of memory: the sandbox’s limit is ${inMebibytes(limitBytes)}.`,
  }
  return sendSignal(largest.pid, 'SIGKILL') ? termination : undefined
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
