import type { ReadManifest } from '../manifest/manifest.ts'
import type { ProcessRegistry } from '../processes/process-registry.ts'
import type { ExecutionRegistry } from '../runs/run-registry.ts'
import type { Rescues } from './rescues.ts'

/** Registries that start nothing while memory is being discarded, and that report each start. */
export function guardStarts(options: {
  rescues: Rescues
  registry: ExecutionRegistry
  processes: ProcessRegistry
  readManifest: ReadManifest
}): {
  registry: ExecutionRegistry
  processes: ProcessRegistry
} {
  const { rescues, registry, processes } = options
  const onStarted = () => {
    rescues.commandStarted()
    options.readManifest.warmSoon()
  }
  return {
    registry: {
      ...registry,
      startCommand: async (request) => {
        rescues.requireOpen()
        const started = await registry.startCommand(request)
        onStarted()
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
        onStarted()
        return started
      },
    },
  }
}
