import { forgetRequestSchema, guestPaths, type RescueReport } from '@threadbox/protocol/guest'
import { z } from 'zod'
import { leaveBufferPools, releaseHeap } from '../ground/heap.ts'
import { readJson, sendJson } from '../ground/http.ts'
import type { Route } from '../ground/server.ts'
import { executeCell, silence } from '../kernels/context.ts'
import type { Contexts } from '../kernels/contexts.ts'
import type { ExecutionRegistry } from '../runs/run-registry.ts'
import type { ServiceRegistry } from '../services/service-registry.ts'
import type { TerminalRegistry } from '../terminals/terminal-registry.ts'
import { rescueInvalid, sharedMachine } from './rescue.ts'
import type { Rescues } from './rescues.ts'

type Forgetting = {
  rescues: Rescues
  registry: ExecutionRegistry
  terminals: TerminalRegistry
  services: ServiceRegistry
  contexts: Contexts
  /** Ends what the guest can start again. */
  dropUnused(): Promise<void>
  ownsMachine: boolean
}

/** Makes the memory of this sandbox safe to hand to others, while its programs keep running. */
export function forgetRoutes(parts: Forgetting): Route[] {
  return [
    {
      method: 'POST',
      path: guestPaths.forget,
      access: 'token',
      handle: async (request, response) => {
        const parsed = forgetRequestSchema.safeParse(await readJson(request))
        if (!parsed.success) throw rescueInvalid({ problem: z.prettifyError(parsed.error) })
        if (!parts.ownsMachine) throw sharedMachine({})
        const { rescue: wanted } = parsed.data
        let rescue: RescueReport | null = null
        if (wanted !== null) rescue = await parts.rescues.make(wanted, 'goes-on')
        await forget(parts)
        sendJson(response, { body: { rescue } })
      },
    },
  ]
}

/** Shells hold their history, terminals and executions their output, kernels the code of cells. */
async function forget({ registry, terminals, services, contexts, dropUnused }: Forgetting): Promise<void> {
  await Promise.all([registry.forgetAll(), ...terminals.list().map(({ id }) => terminals.close(id)), dropUnused()])
  services.forgetLogs()
  for (const context of contexts.list()) {
    const kernel = context.kernel()
    if (kernel === undefined) continue
    // It keeps the last request until the next one.
    await executeCell(kernel, { code: 'pass', silent: true, listener: silence })
    await kernel.forget()
  }
  leaveBufferPools()
  // Memory returned outside of the heap is then overwritten (`native/start`).
  releaseHeap()
}
