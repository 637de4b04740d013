import { Readable } from 'node:stream'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import type { HostApi, RestoreOrder } from '@threadbox/protocol/host'
import type { Archives } from '../../copies/archives/archives.ts'
import type { AddressBook } from '../../machine/network/address-book.ts'
import type { SandboxesStore, StoredSandbox } from '../../machine/state/sandboxes.store.ts'
import type { OrderContext } from '../sandboxes/order-context.ts'

export type ArchiveOrderPorts = {
  context: OrderContext
  archives: Archives
  sandboxes: Pick<SandboxesStore, 'find' | 'insert'>
  addresses: AddressBook
  clock: () => number
}

/** Orders that move the disk of a sandbox out of the host, and back. */
export function archiveOrders(ports: ArchiveOrderPorts): Pick<HostApi, 'diskContent' | 'archive' | 'restore'> {
  const { context, archives } = ports
  const { lock, requireSandbox, toHostSandbox } = context
  return {
    diskContent: (sandboxId) => lock(sandboxId, async () => archives.content(await requireSandbox(sandboxId))),
    archive: (sandboxId, { generation }) =>
      lock(sandboxId, async () => {
        await archives.archive(await requireSandbox(sandboxId), generation)
        return await toHostSandbox(await requireSandbox(sandboxId))
      }),
    restore: (sandboxId, order, stream) =>
      lock(sandboxId, async () => {
        const bytes = Readable.fromWeb(stream as NodeReadableStream)
        const isKnown = (await ports.sandboxes.find(sandboxId)) !== undefined
        if (!isKnown) await recordArchived(ports, { sandboxId, ...order })
        const { usedBytes } = order
        await archives.restore(await requireSandbox(sandboxId), { usedBytes, bytes })
        return await toHostSandbox(await requireSandbox(sandboxId))
      }),
  }
}

async function recordArchived(
  { addresses, sandboxes, clock }: ArchiveOrderPorts,
  { sandboxId, imageId, limits }: Pick<RestoreOrder, 'imageId' | 'limits'> & { sandboxId: string },
): Promise<void> {
  await addresses.assign(async (address) => {
    const own = { sandboxId, placeId: sandboxId, imageId, hostname: null, limits, address, manifestKey: null }
    const flags = { isDeleting: false, isArchived: true }
    const row: StoredSandbox = { ...own, ...flags, egress: { kind: 'none' }, createdAt: clock() }
    await sandboxes.insert(row)
    return row
  })
}
