import type { Logger } from '@threadbox/telemetry'
import { startMemoryWatchdog } from './memory-watchdog.ts'
import { startProcessWatchdog } from './process-watchdog.ts'
import { makeVerdicts, type Verdicts } from './verdicts.ts'

type IsCommandShell = (pid: number) => boolean

/** Both watchdogs, and one memory of what they have ended. */
export type Watchdogs = {
  takeVerdict: Verdicts['take']
  /** Whether the sandbox is at its limit of processes. */
  isFull(): boolean
  /** A process that goes before any other when memory runs out; undefined when there is none. */
  setFirstVictim(pid: number | undefined): void
  /** Says which processes are shells of commands; until then none is known to be one. */
  addCommandShells(isCommandShell: IsCommandShell): void
  stop(): void
}

export function startWatchdogs(dependencies: {
  /** Undefined until the host has said. */
  limits: () => { memoryBytes: number; processes: number } | undefined
  logger: Logger
}): Watchdogs {
  const { limits } = dependencies
  const commandShells: IsCommandShell[] = []
  const isCommandShell: IsCommandShell = (pid) => commandShells.some((isOne) => isOne(pid))
  const verdicts = makeVerdicts()
  const memory = startMemoryWatchdog({ ...dependencies, verdicts, limitBytes: () => limits()?.memoryBytes })
  const processes = startProcessWatchdog({
    ...dependencies,
    isCommandShell,
    verdicts,
    limit: () => limits()?.processes,
  })
  return {
    takeVerdict: verdicts.take,
    isFull: processes.isFull,
    setFirstVictim: memory.setFirstVictim,
    addCommandShells: (isOne) => void commandShells.push(isOne),
    stop: () => {
      memory.stop()
      processes.stop()
    },
  }
}
