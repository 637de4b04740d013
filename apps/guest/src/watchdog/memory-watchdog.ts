import type { Logger } from '@threadbox/telemetry'
import { guestProcesses } from '../init/activity.ts'
import { type ProcessFamily, runVariable, sendSignal } from '../processes/process-family.ts'
import { isZombie, listProcesses, type ProcessEntry, startVariable } from '../processes/process-table.ts'
import { readMemory } from './memory.ts'

/** Share of the limit at which a process is ended, so that the host's limit, which ends the sandbox, is not reached. */
const actShare = 0.92
/** Above this share memory is looked at often: a program can fill the rest in well under a second. */
const watchShare = 0.6
const calmMs = 500
const alertMs = 50
const verdictsKept = 100
const mebibyte = 1024 * 1024

/** What is remembered of a process that was ended. */
export type Verdict = {
  pid: number
  mark: string | undefined
  session: number
  ancestors: ReadonlySet<number>
  words: string
}

/** Ends the largest process of the user before memory runs out, and remembers what it ended. */
export type MemoryWatchdog = {
  /** In words, what was ended of this family; undefined when nothing. Each verdict is told once. */
  verdictOn(family: ProcessFamily): string | undefined
  /** A process that is to go before any other, because it can be done without; undefined when there is none. */
  setFirstVictim(pid: number | undefined): void
  stop(): void
}

export function startMemoryWatchdog(dependencies: {
  /** Undefined until the host has said. */
  limitBytes: () => number | undefined
  logger: Logger
}): MemoryWatchdog {
  const verdicts: Verdict[] = []
  let timer: NodeJS.Timeout
  let firstVictim: number | undefined
  const look = () => {
    const limitBytes = dependencies.limitBytes()
    const share = limitBytes === undefined ? 0 : readMemory().usedBytes / limitBytes
    if (limitBytes !== undefined && share >= actShare) {
      const verdict = endLargest(limitBytes, firstVictim)
      if (verdict !== undefined) {
        verdicts.push(verdict)
        verdicts.splice(0, verdicts.length - verdictsKept)
        dependencies.logger.warn({ pid: verdict.pid, share }, 'memory nearly full, largest process ended')
      }
    }
    timer = setTimeout(look, share > watchShare ? alertMs : calmMs)
  }
  timer = setTimeout(look, calmMs)
  return {
    verdictOn: (family) => {
      const index = verdicts.findIndex((verdict) => isVerdictOn(verdict, family))
      return index < 0 ? undefined : verdicts.splice(index, 1)[0]?.words
    },
    setFirstVictim: (pid) => {
      firstVictim = pid
    },
    stop: () => clearTimeout(timer),
  }
}

/** Commands of a session share their shell, so where both sides have a mark only the mark tells them apart. */
export function isVerdictOn(verdict: Verdict, family: ProcessFamily): boolean {
  if (verdict.mark !== undefined && family.mark !== undefined) return verdict.mark === family.mark
  return verdict.session === family.root || verdict.pid === family.root || verdict.ancestors.has(family.root)
}

function endLargest(limitBytes: number, firstVictim: number | undefined): Verdict | undefined {
  const processes = listProcesses()
  const own = guestProcesses(processes)
  const users = processes.filter((process) => !own.has(process.pid) && !isZombie(process))
  const largest =
    users.find((process) => process.pid === firstVictim) ??
    users.sort((left, right) => right.residentBytes - left.residentBytes)[0]
  if (largest === undefined) return undefined
  const verdict = {
    pid: largest.pid,
    mark: startVariable(largest.pid, runVariable),
    session: largest.session,
    ancestors: ancestorsOf(largest, processes),
    words: `${largest.name} (process ${largest.pid}) was ended at ${inMebibytes(largest.residentBytes)} of memory: the sandbox’s limit is ${inMebibytes(limitBytes)}.`,
  }
  return sendSignal(largest.pid, 'SIGKILL') ? verdict : undefined
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
