import type { Logger } from '@threadbox/telemetry'
import { listPids } from '../processes/process-table.ts'
import { makeCalm } from './calm.ts'
import { startMemoryWatchdog } from './memory-watchdog.ts'
import { startProcessWatchdog } from './process-watchdog.ts'
import { makeTerminations, type Terminations } from './terminations.ts'

type IsCommandShell = (pid: number) => boolean

/** Both watchdogs, and one record of what they have ended. */
export type Watchdogs = {
  takeTermination: Terminations['take']
  /** True while the sandbox is at its limit of processes. */
  isFull(): boolean
  /** Sets the process to kill before any other when memory runs out; undefined for none. */
  setPreferredVictim(pid: number | undefined): void
  /** Something was requested that can start a program: checks follow at their usual pace. */
  disturb(): void
  /** Sets the test for shells of commands; before that, no process counts as one. */
  addCommandShells(isCommandShell: IsCommandShell): void
  stop(): void
}

export function startWatchdogs(dependencies: {
  /** Undefined until the host has reported them. */
  limits: () => { memoryBytes: number; processes: number } | undefined
  /** The first thing of the user’s that runs; null if nothing does. */
  restObstacle: () => Promise<string | null>
  logger: Logger
}): Watchdogs {
  const { limits } = dependencies
  const commandShells: IsCommandShell[] = []
  const isCommandShell: IsCommandShell = (pid) => commandShells.some((isOne) => isOne(pid))
  const terminations = makeTerminations()
  const calm = makeCalm({ ...dependencies, pids: listPids })
  const memory = startMemoryWatchdog({ ...dependencies, calm, terminations, limitBytes: () => limits()?.memoryBytes })
  const processes = startProcessWatchdog({
    ...dependencies,
    calm,
    isCommandShell,
    terminations,
    limit: () => limits()?.processes,
  })
  return {
    takeTermination: terminations.take,
    isFull: processes.isFull,
    setPreferredVictim: memory.setPreferredVictim,
    disturb: calm.disturb,
    addCommandShells: (isOne) => void commandShells.push(isOne),
    stop: () => {
      memory.stop()
      processes.stop()
    },
  }
}
