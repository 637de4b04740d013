import type { Logger } from '@threadbox/telemetry'
import { startMemoryWatchdog } from './memory-watchdog.ts'
import { startProcessWatchdog } from './process-watchdog.ts'
import { makeVerdicts, type Verdicts } from './verdicts.ts'

/** Both watchdogs, and one memory of what they have ended. */
export type Watchdogs = {
  takeVerdict: Verdicts['take']
  /** Whether the sandbox is at its limit of processes. */
  isFull(): boolean
  /** A process that goes before any other when memory runs out; undefined when there is none. */
  setFirstVictim(pid: number | undefined): void
  stop(): void
}

export function startWatchdogs(dependencies: {
  /** Undefined until the host has said. */
  limits: () => { memoryBytes: number; processes: number } | undefined
  isCommandShell(pid: number): boolean
  logger: Logger
}): Watchdogs {
  const { limits } = dependencies
  const verdicts = makeVerdicts()
  const memory = startMemoryWatchdog({ ...dependencies, verdicts, limitBytes: () => limits()?.memoryBytes })
  const processes = startProcessWatchdog({ ...dependencies, verdicts, limit: () => limits()?.processes })
  return {
    takeVerdict: verdicts.take,
    isFull: processes.isFull,
    setFirstVictim: memory.setFirstVictim,
    stop: () => {
      memory.stop()
      processes.stop()
    },
  }
}
