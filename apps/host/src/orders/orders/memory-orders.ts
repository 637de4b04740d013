import { bootMismatch, sandboxNotRunning } from '@threadbox/protocol/gateway'
import type { HostApi } from '@threadbox/protocol/host'
import type { Spares } from '../../boots/spares/spares.ts'
import { sandboxNotPaused } from '../../machine/errors/memory.errors.ts'
import { hostShuttingDown } from '../../machine/errors/orders.errors.ts'
import type { BootsStore } from '../../machine/state/boots.store.ts'
import type { SandboxBoot } from '../../memory/memory/memory-steps.ts'
import { isBootAsleep, type PausedBoots } from '../../memory/memory/paused-boots.ts'
import type { OrderContext } from '../sandboxes/order-context.ts'

export type MemoryOrderPorts = {
  context: OrderContext
  boots: BootsStore
  paused: PausedBoots
  spares: Pick<Spares, 'pauseRefillDuring'>
}

/** Orders about the memory of a boot. They wait for each other, so the second finds the work of the first. */
export function memoryOrders(
  ports: MemoryOrderPorts,
): Pick<HostApi, 'pause' | 'abandonPause' | 'wake' | 'demote' | 'fileChanges'> {
  const { context, boots, paused } = ports
  const { lock, requireSandbox, toHostSandbox } = context
  const underWay = new Map<string, { bootId: string; wanted: AbortController }>()
  const pause = async (found: SandboxBoot, hashKey: string | undefined) => {
    const { sandboxId } = found.sandbox
    const wanted = new AbortController()
    underWay.set(sandboxId, { bootId: found.boot.bootId, wanted })
    try {
      return await paused.pause({ ...found, hashKey, wanted: wanted.signal })
    } finally {
      underWay.delete(sandboxId)
    }
  }
  const find = async (sandboxId: string, bootId: string): Promise<SandboxBoot> => {
    const sandbox = await requireSandbox(sandboxId)
    const boot = await boots.current(sandboxId)
    if (boot === undefined) throw sandboxNotRunning({ sandboxId })
    if (boot.bootId !== bootId) throw bootMismatch({ sandboxId, bootId, currentBootId: boot.bootId })
    return { sandbox, boot }
  }
  return {
    pause: (sandboxId, { bootId, hashKey }) =>
      lock(sandboxId, async () => {
        const found = await find(sandboxId, bootId)
        const isPaused = isBootAsleep(found.boot)
        const outcome = await (isPaused ? paused.describePause(found) : pause(found, hashKey))
        return { sandbox: await toHostSandbox(found.sandbox), ...outcome }
      }),
    // Does not wait: it concerns the order in progress.
    abandonPause: async (sandboxId, { bootId }) => {
      await requireSandbox(sandboxId)
      const pausing = underWay.get(sandboxId)
      if (pausing?.bootId !== bootId) return { wasUnderWay: false }
      pausing.wanted.abort()
      return { wasUnderWay: true }
    },
    wake: (sandboxId, { bootId }) =>
      lock(sandboxId, async () => {
        const found = await find(sandboxId, bootId)
        if (context.isShuttingDown()) throw hostShuttingDown({})
        const outcome = isBootAsleep(found.boot)
          ? await ports.spares.pauseRefillDuring(() => paused.wake(found))
          : ({ from: 'awake', durationMs: 0 } as const)
        return { sandbox: await toHostSandbox(found.sandbox), ...outcome }
      }),
    demote: (sandboxId, { bootId, budgets }) =>
      lock(sandboxId, async () => {
        const sandbox = await requireSandbox(sandboxId)
        if ((await boots.current(sandboxId)) === undefined && (await isLastEnded(ports, { sandboxId, bootId }))) {
          const problem = 'Its memory was already discarded.'
          return { sandbox: await toHostSandbox(sandbox), rescue: null, problem }
        }
        const found = await find(sandboxId, bootId)
        if (!isBootAsleep(found.boot)) throw sandboxNotPaused({})
        const outcome = await paused.demote({ ...found, budgets })
        return { sandbox: await toHostSandbox(sandbox), ...outcome }
      }),
    fileChanges: async (sandboxId) => paused.fileChanges(await requireSandbox(sandboxId)),
  }
}

async function isLastEnded(
  { boots }: Pick<MemoryOrderPorts, 'boots'>,
  { sandboxId, bootId }: { sandboxId: string; bootId: string },
): Promise<boolean> {
  return (await boots.lastEnded(sandboxId))?.bootId === bootId
}
