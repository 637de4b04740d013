import { Readable } from 'node:stream'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import type { HostApi } from '@threadbox/protocol/host'
import type { Archives } from '../../copies/archives/archives.ts'
import type { OrderContext } from '../sandboxes/order-context.ts'

export type ArchiveOrderPorts = { context: OrderContext; archives: Archives }

/** Orders that move the disk of a sandbox out of the host, and back. */
export function archiveOrders({
  context,
  archives,
}: ArchiveOrderPorts): Pick<HostApi, 'diskContent' | 'archive' | 'restore'> {
  const { lock, requireSandbox, toHostSandbox } = context
  return {
    diskContent: (sandboxId) => lock(sandboxId, async () => archives.content(await requireSandbox(sandboxId))),
    archive: (sandboxId, { generation }) =>
      lock(sandboxId, async () => {
        await archives.archive(await requireSandbox(sandboxId), generation)
        return await toHostSandbox(await requireSandbox(sandboxId))
      }),
    restore: (sandboxId, { usedBytes }, stream) =>
      lock(sandboxId, async () => {
        const bytes = Readable.fromWeb(stream as NodeReadableStream)
        await archives.restore(await requireSandbox(sandboxId), { usedBytes, bytes })
        return await toHostSandbox(await requireSandbox(sandboxId))
      }),
  }
}
