import type { NetworkAttachment, SandboxNetwork } from '@threadbox/sandbox-network'
import type { StoredSandbox } from '../state/sandboxes.store.ts'

/**
 * Namespaces that are ready for a boot. Looking whether one is complete takes several programs, so what this process
 * has made or completed itself is remembered until a boot uses it.
 */
export type Attachments = {
  /** A namespace with address and routes in it, for a boot that starts now. */
  obtain(sandbox: StoredSandbox): Promise<NetworkAttachment>
  /** Makes a namespace ahead of the first boot. */
  prepare(sandbox: StoredSandbox): Promise<void>
  /** Nothing is known of the namespace any more: it was removed, or a boot has taken its address out. */
  forget(sandboxId: string): void
}

export function makeAttachments(network: SandboxNetwork): Attachments {
  const ready = new Map<string, NetworkAttachment>()
  return {
    obtain: async (sandbox) => {
      const { sandboxId } = sandbox
      const known = ready.get(sandboxId)
      ready.delete(sandboxId)
      if (known !== undefined) return known
      const attachment = await network.attach(sandbox)
      await network.restoreAddress(sandboxId)
      return attachment
    },
    prepare: async (sandbox) => {
      ready.set(sandbox.sandboxId, await network.attach(sandbox))
    },
    forget: (sandboxId) => void ready.delete(sandboxId),
  }
}
