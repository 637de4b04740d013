import { makeKeyedLock } from '@threadbox/concurrency'
import type { EgressPolicy, NetworkAttachment, SandboxNetwork } from '@threadbox/sandbox-network'

type AttachmentRequest = { placeId: string; address: string; egress: EgressPolicy }

/**
 * Namespaces that are ready for a boot. Checking whether one is complete takes several programs, so what this process
 * has made or completed is remembered until a boot uses it.
 */
export type Attachments = {
  /** Returns a namespace with address and routes, for a boot that starts now. */
  obtain(wanted: AttachmentRequest): Promise<NetworkAttachment>
  /** The same with its link down, for a boot that continues from its saved memory. */
  obtainSilent(wanted: AttachmentRequest): Promise<NetworkAttachment>
  /**
   * Gives an existing namespace its address again, ahead of the wake of a paused boot of which nothing is left in it. Call it
   * in the step in which that is found: what uses the namespace next waits for it.
   */
  prepareSilent(allocationId: string): Promise<void>
  /** Makes a namespace ahead of the first boot. */
  prepare(wanted: AttachmentRequest): Promise<void>
  /** Forgets the namespace: it was removed. */
  forget(allocationId: string): void
}

export function makeAttachments(network: SandboxNetwork): Attachments {
  const ready = new Map<string, NetworkAttachment>()
  /** Namespaces that have their address, for a boot that continues from its saved memory. */
  const addressed = new Set<string>()
  const inOrder = makeKeyedLock()
  const attach = ({ placeId: allocationId, address, egress }: AttachmentRequest) =>
    network.attach({ sandboxId: allocationId, address, egress })
  return {
    obtain: async (wanted) => {
      await inOrder.settled(wanted.placeId)
      addressed.delete(wanted.placeId)
      const known = ready.get(wanted.placeId)
      ready.delete(wanted.placeId)
      if (known !== undefined) return known
      const attachment = await attach(wanted)
      // An earlier boot has moved the address out of the namespace, and may have been paused when it ended.
      await network.restoreAddress(wanted.placeId)
      await network.setLink({ sandboxId: wanted.placeId, state: 'up' })
      return attachment
    },
    obtainSilent: async (wanted) => {
      await inOrder.settled(wanted.placeId)
      ready.delete(wanted.placeId)
      const hasAddress = addressed.delete(wanted.placeId)
      const attachment = await attach(wanted)
      await network.setLink({ sandboxId: wanted.placeId, state: 'down' })
      // Before the restore, never after: afterwards the sandbox has the address, and the kernel would also respond for
      // it.
      if (!hasAddress) await network.restoreAddress(wanted.placeId)
      return attachment
    },
    prepareSilent: (allocationId) =>
      inOrder(allocationId, async () => {
        await network.restoreAddress(allocationId)
        addressed.add(allocationId)
      }),
    prepare: async (wanted) => {
      ready.set(wanted.placeId, await attach(wanted))
    },
    forget: (allocationId) => {
      ready.delete(allocationId)
      addressed.delete(allocationId)
    },
  }
}
