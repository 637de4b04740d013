import type { ProcessRegistry } from '../processes/process-registry.ts'
import type { ExecutionRegistry } from '../runs/run-registry.ts'
import type { Rescues } from './rescues.ts'

/** Registries that start nothing while memory is being discarded, and that report each start. */
export function guardStarts(options: { rescues: Rescues; registry: ExecutionRegistry; processes: ProcessRegistry }): {
  registry: ExecutionRegistry
  processes: ProcessRegistry
} {
  const { rescues, registry, processes } = options
  return {
    registry: {
      ...registry,
      startCommand: async (request) => {
        rescues.requireOpen()
        const started = await registry.startCommand(request)
        rescues.commandStarted()
        return started
      },
      startOther: (key, start) => {
        rescues.requireOpen()
        return registry.startOther(key, start)
      },
    },
    processes: {
      ...processes,
      start: async (request) => {
        rescues.requireOpen()
        const started = await processes.start(request)
        rescues.commandStarted()
        return started
      },
    },
  }
}
