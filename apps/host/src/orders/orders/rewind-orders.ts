import type { DiskFileSize } from '@threadbox/disk-store'
import {
  fileRankOf,
  imageSnapshot,
  type NamesAsked,
  type RewoundSandbox,
  type SnapshotChanges,
} from '@threadbox/protocol/host'
import type { WantedRewind } from '../../copies/rewinds/rewinds.ts'
import { naming } from '../../machine/state/disk-naming.ts'
import type { StoredSandbox } from '../../machine/state/sandboxes.store.ts'
import { presentSandbox } from '../sandboxes/present-sandbox.ts'
import type { OrdersParts } from './sandbox-orders.ts'

export type RewindOrders = {
  rewind(sandboxId: string, order: Omit<WantedRewind, 'sandbox'>): Promise<RewoundSandbox>
  /** What a rewind to this snapshot would change on the disk. Nothing is woken, and nothing waits for it. */
  snapshotChanges(sandboxId: string, snapshotId: string): Promise<SnapshotChanges>
  /** Which names its programs asked for since a moment. */
  namesAsked(sandboxId: string, sinceMs: number): Promise<NamesAsked>
}

export function makeRewindOrders(
  parts: OrdersParts & {
    known: (sandboxId: string) => Promise<StoredSandbox>
    isShuttingDown: () => boolean
  },
): RewindOrders {
  const { lock, known, disks } = parts
  return {
    rewind: (sandboxId, order) =>
      lock(sandboxId, async () => {
        const sandbox = await known(sandboxId)
        // The rewind itself is not refused: an order may have been begun before.
        const bootId = parts.isShuttingDown() ? null : order.bootId
        const rewound = await parts.spares.holdOff(() => parts.rewinds.rewind({ sandbox, ...order, bootId }))
        return { sandbox: await presentSandbox(parts, sandbox), ...rewound }
      }),
    snapshotChanges: async (sandboxId, named) => {
      const sandbox = await known(sandboxId)
      const { placeId: diskId } = sandbox
      const snapshotId = named === imageSnapshot ? null : named
      // A comparison of the disk itself changes it: a wake would look at all of it, and an answer that used nothing could
      // not share the memory of the one before.
      const of = await parts.snapshots.ofPresent(sandbox)
      const changes = await disks.compareWithSnapshot({ diskId, snapshotId, of, naming })
      const { sizes, removedCount, changedCount, addedCount, folders } = changes
      const counted = await disks.countChangedLines({ diskId, snapshotId, of, names: textsFirst(sizes) })
      const files = sizes.map((file) => ({ ...file, lines: counted.get(file.name) ?? null }))
      return { files, removedCount, changedCount, addedCount, folders }
    },
    namesAsked: async (sandboxId, sinceMs) => {
      const { placeId } = await known(sandboxId)
      return parts.network.namesAsked(placeId, sinceMs) ?? { knownSince: null, names: [] }
    },
  }
}

/** Files that were changed, those in home directories first: there are more than are counted. */
function textsFirst(files: readonly DiskFileSize[]): string[] {
  const changed = files.filter(({ bytesBefore, bytesNow }) => bytesBefore !== null && bytesNow !== null)
  return changed.map(({ name }) => name).toSorted((one, other) => fileRankOf(one) - fileRankOf(other))
}
