import type { ServiceImpl } from '@connectrpc/connect'
import { runs } from '@threadbox/protocol/guest'
import type { Contexts } from '../kernels/contexts.ts'
import type { Terminations } from '../watchdog/terminations.ts'
import { startCellExecution } from './cell-run.ts'
import { readExecution } from './read-run.ts'
import type { ExecutionRegistry } from './run-registry.ts'

const keepAliveMs = 15_000

/** The Runs service of the guest protocol; `runs.proto` states its contract. */
export function makeRunsService(dependencies: {
  registry: ExecutionRegistry
  contexts: Contexts
  takeTermination: Terminations['take']
}): ServiceImpl<typeof runs.Runs> {
  const { registry, contexts } = dependencies
  const startCell = (request: runs.StartCellRequest) => {
    const context = contexts.get(request.context)
    return registry.startOther(request.key, (log) =>
      startCellExecution({ ...request, log }, { ...dependencies, context }),
    )
  }
  const start = async ({ key, start: wanted }: runs.ReadRequest) => {
    if (wanted.case === 'startCommand') await registry.startCommand({ ...wanted.value, key })
    if (wanted.case === 'startCell') startCell({ ...wanted.value, key })
  }
  return {
    startCommand: async (request) => await registry.startCommand(request),
    startCell,
    async *read(request, context) {
      if (request.start.case !== undefined) {
        await start(request)
        yield { event: { case: 'keepalive', value: {} } }
      }
      yield* readExecution(registry.get(request.key), {
        offset: Number(request.offset),
        display: request.display,
        keepAliveMs,
        signal: context.signal,
      })
    },
    acknowledge: ({ key, offset }) => {
      registry.get(key).log.acknowledge(Number(offset))
      return {}
    },
    stop: async ({ key }) => {
      const execution = registry.get(key)
      const wasRunning = execution.end === undefined
      await execution.stop(runs.EndCause.STOPPED)
      return { wasRunning }
    },
    list: () => ({
      runs: registry.list().map((execution) => ({
        key: execution.key,
        ended: execution.end !== undefined,
        outputSize: BigInt(execution.log.size),
        acknowledged: BigInt(execution.log.acknowledged),
        displays: execution.displays.length,
      })),
    }),
    forget: ({ key }) => {
      registry.forget(key)
      return {}
    },
  }
}
