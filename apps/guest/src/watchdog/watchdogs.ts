import type { Logger } from '@threadbox/telemetry'
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
  /** Sets the test for shells of commands; before that, no process counts as one. */
  addCommandShells(isCommandShell: IsCommandShell): void
  stop(): void
}

export function startWatchdogs(dependencies: {
  /** Undefined until the host has reported them. */
  limits: () => { memoryBytes: number; processes: number } | undefined
  logger: Logger
}): Watchdogs {
  const { limits } = dependencies
  const commandShells: IsCommandShell[] = []
  const isCommandShell: IsCommandShell = (pid) => commandShells.some((isOne) => isOne(pid))
  const terminations = makeTerminations()
  const memory = startMemoryWatchdog({ ...dependencies, terminations, limitBytes: () => limits()?.memoryBytes })
  const processes = startProcessWatchdog({
    ...dependencies,
    isCommandShell,
    terminations,
    limit: () => limits()?.processes,
  })
  return {
    takeTermination: terminations.take,
    isFull: processes.isFull,
    setPreferredVictim: memory.setPreferredVictim,
    addCommandShells: (isOne) => void commandShells.push(isOne),
    stop: () => {
      memory.stop()
      processes.stop()
    },
  }
}
