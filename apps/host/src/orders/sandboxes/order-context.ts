import type { KeyedLock } from '@threadbox/concurrency'
import type { HostSandbox } from '@threadbox/protocol/host'
import { sandboxDeleting, sandboxNotFound } from '../../machine/errors/orders.errors.ts'
import type { SandboxesStore, StoredSandbox } from '../../machine/state/sandboxes.store.ts'
import { type PresentPorts, presentSandbox } from './present-sandbox.ts'

/** What all orders (requests of the server to the host) share. */
export type OrderContext = {
  /** Orders about one sandbox are carried out one after another. Its boot does not rest during one. */
  lock: KeyedLock
  /** Loads a sandbox. Throws `sandbox.not-found`, `sandbox.deleting`. */
  requireSandbox(sandboxId: string): Promise<StoredSandbox>
  /** Converts to what the host API returns. */
  toHostSandbox(sandbox: StoredSandbox): Promise<HostSandbox>
  /** After this, nothing is started. */
  beginShutdown(): void
  isShuttingDown(): boolean
}

export function makeOrderContext(ports: PresentPorts & { sandboxes: SandboxesStore; lock: KeyedLock }): OrderContext {
  let isShuttingDown = false
  return {
    lock: ports.lock,
    requireSandbox: async (sandboxId) => {
      const sandbox = await ports.sandboxes.find(sandboxId)
      if (sandbox === undefined) throw sandboxNotFound({ sandboxId })
      if (sandbox.isDeleting) throw sandboxDeleting({ sandboxId })
      return sandbox
    },
    toHostSandbox: (sandbox) => presentSandbox(ports, sandbox),
    beginShutdown: () => {
      isShuttingDown = true
    },
    isShuttingDown: () => isShuttingDown,
  }
}
