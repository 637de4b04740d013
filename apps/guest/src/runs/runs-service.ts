import type { ServiceImpl } from '@connectrpc/connect'
import { runs } from '@threadbox/protocol/guest'
import type { Contexts } from '../kernels/contexts.ts'
import type { Verdicts } from '../watchdog/verdicts.ts'
import { startCellRun } from './cell-run.ts'
import { readRun } from './read-run.ts'
import type { RunRegistry } from './run-registry.ts'

const keepAliveMs = 15_000

/** The Runs service of the guest protocol; its promises are written in `runs.proto`. */
export function makeRunsService(dependencies: {
  registry: RunRegistry
  contexts: Contexts
  takeVerdict: Verdicts['take']
}): ServiceImpl<typeof runs.Runs> {
  const { registry, contexts } = dependencies
  const startCell = (request: runs.StartCellRequest) => {
    const context = contexts.get(request.context)
    return registry.startOther(request.key, (log) => startCellRun({ ...request, log }, { ...dependencies, context }))
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
      yield* readRun(registry.get(request.key), {
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
      const run = registry.get(key)
      const wasRunning = run.end === undefined
      await run.stop(runs.EndCause.STOPPED)
      return { wasRunning }
    },
    list: () => ({
      runs: registry.list().map((run) => ({
        key: run.key,
        ended: run.end !== undefined,
        outputSize: BigInt(run.log.size),
        acknowledged: BigInt(run.log.acknowledged),
        displays: run.displays.length,
      })),
    }),
    forget: ({ key }) => {
      registry.forget(key)
      return {}
    },
  }
}
