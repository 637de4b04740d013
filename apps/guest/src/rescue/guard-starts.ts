import type { ProcessRegistry } from '../processes/process-registry.ts'
import type { RunRegistry } from '../runs/run-registry.ts'
import type { Rescues } from './rescues.ts'

/** Registries that start nothing while memory is being given up, and that tell of the first command after a cold start. */
export function guardStarts(options: { rescues: Rescues; registry: RunRegistry; processes: ProcessRegistry }): {
  registry: RunRegistry
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
