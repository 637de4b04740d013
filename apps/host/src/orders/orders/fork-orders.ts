import type { SandboxLimits } from '@threadbox/domain'
import type { ForkedSandbox, HostSandbox } from '@threadbox/protocol/host'
import { forkIdTaken } from '../../copies/forks/forks.errors.ts'
import { hostShuttingDown, sandboxDeleting } from '../../machine/errors/orders.errors.ts'
import type { StoredSandbox } from '../../machine/state/sandboxes.store.ts'
import { presentSandbox } from '../sandboxes/present-sandbox.ts'
import type { OrdersParts } from './sandbox-orders.ts'

export type ForkOrders = {
  fork(
    sandboxId: string,
    order: {
      source: { sandboxId: string; snapshotId: string | null }
      bootId: string
      hostname: string
      limits: SandboxLimits
      egress: HostSandbox['egress']
      hashKey?: string | undefined
    },
  ): Promise<ForkedSandbox>
}

export function makeForkOrders(
  parts: OrdersParts & {
    known: (sandboxId: string) => Promise<StoredSandbox>
    isShuttingDown: () => boolean
    undo: (fork: StoredSandbox) => Promise<void>
  },
): ForkOrders {
  const { lock, forks, known } = parts
  return {
    fork: (sandboxId, { source, hashKey, ...wanted }) =>
      // Nobody waits for a fork that is being made while holding its source.
      lock(sandboxId, () =>
        lock(source.sandboxId, async () => {
          const present = await parts.sandboxes.find(sandboxId)
          if (present?.isDeleting) throw sandboxDeleting({ sandboxId })
          if (present !== undefined) return await describeFork(parts, present)
          if (parts.isShuttingDown()) throw hostShuttingDown({})
          const order = {
            ...wanted,
            sandboxId,
            source: await known(source.sandboxId),
            snapshotId: source.snapshotId ?? undefined,
            manifestKey: hashKey ?? null,
          }
          const made = await parts.spares.holdOff(() => forks.make(order, parts.undo))
          return { sandbox: await presentSandbox(parts, await known(sandboxId)), ...made }
        }),
      ),
  }
}

/** What the first answer to the order was, as far as it can still be told. */
async function describeFork(parts: OrdersParts, fork: StoredSandbox): Promise<ForkedSandbox> {
  const { sandboxId } = fork
  if (await parts.forks.isBeingMade(sandboxId)) throw forkIdTaken({ sandboxId })
  const sandbox = await presentSandbox(parts, fork)
  return { sandbox, from: sandbox.bootId === null ? 'disk' : 'memory', problem: '', stallMs: 0, durationMs: 0 }
}
