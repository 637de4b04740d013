import type { SandboxNetwork } from '@threadbox/sandbox-network'
import type { LaunchPorts } from '../../boots/launch/launch.ts'
import type { AddressBook } from '../../machine/network/address-book.ts'
import type { SandboxesStore, StoredSandbox } from '../../machine/state/sandboxes.store.ts'

/** Gives a stopped sandbox another address. */
export type MoveAddress = (sandbox: StoredSandbox) => Promise<StoredSandbox>

/**
 * Data sent over a connection since the snapshot is known to its other end and not to the restored memory, so a
 * surviving connection would mix two histories. With another address it ends.
 */
export function makeMoveAddress(ports: {
  addresses: Pick<AddressBook, 'assign'>
  attachments: Pick<LaunchPorts['attachments'], 'forget'>
  network: Pick<SandboxNetwork, 'detach'>
  sandboxes: Pick<SandboxesStore, 'setAddress'>
}): MoveAddress {
  return async (sandbox) =>
    await ports.addresses.assign(async (address) => {
      // First: an existing namespace keeps the address that it was made with.
      ports.attachments.forget(sandbox.placeId)
      await ports.network.detach(sandbox.placeId)
      await ports.sandboxes.setAddress(sandbox.sandboxId, address)
      return { ...sandbox, address }
    })
}
