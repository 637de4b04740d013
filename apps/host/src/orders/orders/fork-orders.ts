import type { ForkedSandbox, HostApi } from '@threadbox/protocol/host'
import type { Spares } from '../../boots/spares/spares.ts'
import { forkIdTaken } from '../../copies/forks/forks.errors.ts'
import type { Forks } from '../../copies/forks/forks.ts'
import { hostShuttingDown, sandboxDeleting } from '../../machine/errors/orders.errors.ts'
import type { SandboxesStore, StoredSandbox } from '../../machine/state/sandboxes.store.ts'
import type { OrderContext } from '../sandboxes/order-context.ts'

export type ForkOrderPorts = {
  context: OrderContext
  sandboxes: SandboxesStore
  forks: Forks
  spares: Pick<Spares, 'pauseRefillDuring'>
  /** Removes what exists of a fork that could not be made. */
  remove: (fork: StoredSandbox) => Promise<void>
}

export function forkOrders(ports: ForkOrderPorts): Pick<HostApi, 'fork'> {
  const { context, forks } = ports
  const { lock, requireSandbox, toHostSandbox } = context
  return {
    fork: (sandboxId, { source, hashKey, ...wanted }) =>
      // The fork's lock first: no order holds the source while it waits for a fork that is being made.
      lock(sandboxId, () =>
        lock(source.sandboxId, async () => {
          const made = await ports.sandboxes.find(sandboxId)
          if (made?.isDeleting) throw sandboxDeleting({ sandboxId })
          if (made !== undefined) return await describeFork(ports, made)
          if (context.isShuttingDown()) throw hostShuttingDown({})
          const order = {
            ...wanted,
            sandboxId,
            source: await requireSandbox(source.sandboxId),
            snapshotId: source.snapshotId ?? undefined,
            manifestKey: hashKey ?? null,
          }
          const outcome = await ports.spares.pauseRefillDuring(() => forks.make(order, ports.remove))
          return { sandbox: await toHostSandbox(await requireSandbox(sandboxId)), ...outcome }
        }),
      ),
  }
}

/** Returns the result of the first order, as far as it is still known. */
async function describeFork({ context, forks }: ForkOrderPorts, fork: StoredSandbox): Promise<ForkedSandbox> {
  const { sandboxId } = fork
  if (await forks.isBeingMade(sandboxId)) throw forkIdTaken({ sandboxId })
  const sandbox = await context.toHostSandbox(fork)
  return { sandbox, from: sandbox.bootId === null ? 'disk' : 'memory', problem: '', stallMs: 0, durationMs: 0 }
}
