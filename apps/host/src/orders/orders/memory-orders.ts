import type { RescueRequest } from '@threadbox/protocol/guest'
import type { AbandonedPause, DemotedSandbox, FileChanges, PausedSandbox, WokenSandbox } from '@threadbox/protocol/host'
import { sandboxNotPaused } from '../../machine/errors/memory.errors.ts'
import { hostShuttingDown, otherBoot, sandboxNotRunning } from '../../machine/errors/orders.errors.ts'
import type { StoredSandbox } from '../../machine/state/sandboxes.store.ts'
import type { SandboxBoot } from '../../memory/memory/memory-parts.ts'
import { isAsleep } from '../../memory/memory/paused-boots.ts'
import { presentSandbox } from '../sandboxes/present-sandbox.ts'
import type { OrdersParts } from './sandbox-orders.ts'

/** Orders about the memory of a boot. They wait for each other, so whoever comes second finds the work of the first. */
export type MemoryOrders = {
  pause(sandboxId: string, order: { bootId: string; hashKey?: string | undefined }): Promise<PausedSandbox>
  /** Waits for nothing: it is about the order that is being carried out. */
  abandonPause(sandboxId: string, order: { bootId: string }): Promise<AbandonedPause>
  wake(sandboxId: string, order: { bootId: string }): Promise<WokenSandbox>
  demote(sandboxId: string, order: { bootId: string; budgets: RescueRequest }): Promise<DemotedSandbox>
  fileChanges(sandboxId: string): Promise<FileChanges>
}

export function makeMemoryOrders(
  parts: OrdersParts & {
    known: (sandboxId: string) => Promise<StoredSandbox>
    isShuttingDown: () => boolean
  },
): MemoryOrders {
  const { lock, paused } = parts
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
    const sandbox = await parts.known(sandboxId)
    const boot = await parts.boots.current(sandboxId)
    if (boot === undefined) throw sandboxNotRunning({ sandboxId })
    if (boot.bootId !== bootId) throw otherBoot({ sandboxId, bootId, currentBootId: boot.bootId })
    return { sandbox, boot }
  }
  return {
    pause: (sandboxId, { bootId, hashKey }) =>
      lock(sandboxId, async () => {
        const found = await find(sandboxId, bootId)
        const isPaused = isAsleep(found.boot)
        const outcome = await (isPaused ? paused.describePause(found) : pause(found, hashKey))
        return { sandbox: await presentSandbox(parts, found.sandbox), ...outcome }
      }),
    abandonPause: async (sandboxId, { bootId }) => {
      await parts.known(sandboxId)
      const present = underWay.get(sandboxId)
      if (present?.bootId !== bootId) return { wasUnderWay: false }
      present.wanted.abort()
      return { wasUnderWay: true }
    },
    wake: (sandboxId, { bootId }) =>
      lock(sandboxId, async () => {
        const found = await find(sandboxId, bootId)
        if (parts.isShuttingDown()) throw hostShuttingDown({})
        const outcome = isAsleep(found.boot)
          ? await parts.spares.holdOff(() => paused.wake(found))
          : ({ from: 'awake', durationMs: 0 } as const)
        return { sandbox: await presentSandbox(parts, found.sandbox), ...outcome }
      }),
    demote: (sandboxId, { bootId, budgets }) =>
      lock(sandboxId, async () => {
        const sandbox = await parts.known(sandboxId)
        if ((await parts.boots.current(sandboxId)) === undefined && (await isLastEnded(parts, { sandboxId, bootId }))) {
          const problem = 'Its memory was given up before.'
          return { sandbox: await presentSandbox(parts, sandbox), rescue: null, problem }
        }
        const found = await find(sandboxId, bootId)
        if (!isAsleep(found.boot)) throw sandboxNotPaused({})
        const outcome = await paused.demote({ ...found, budgets })
        return { sandbox: await presentSandbox(parts, sandbox), ...outcome }
      }),
    fileChanges: async (sandboxId) => paused.fileChanges(await parts.known(sandboxId)),
  }
}

async function isLastEnded(
  { boots }: Pick<OrdersParts, 'boots'>,
  { sandboxId, bootId }: { sandboxId: string; bootId: string },
): Promise<boolean> {
  return (await boots.lastEnded(sandboxId))?.bootId === bootId
}
