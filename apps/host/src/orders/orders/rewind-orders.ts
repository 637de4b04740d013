import type { DiskFileSize, DiskStore } from '@threadbox/disk-store'
import { fileRankOf, type HostApi, imageSnapshot } from '@threadbox/protocol/host'
import type { SandboxNetwork } from '@threadbox/sandbox-network'
import type { Spares } from '../../boots/spares/spares.ts'
import type { Rewinds } from '../../copies/rewinds/rewinds.ts'
import { naming } from '../../machine/state/disk-naming.ts'
import type { Snapshots } from '../../memory/snapshots/snapshots.ts'
import type { OrderContext } from '../sandboxes/order-context.ts'

export type RewindOrderPorts = {
  context: OrderContext
  rewinds: Rewinds
  snapshots: Snapshots
  disks: DiskStore
  network: Pick<SandboxNetwork, 'namesAsked' | 'namesRefused'>
  spares: Pick<Spares, 'pauseRefillDuring'>
  clock: () => number
}

export function rewindOrders(ports: RewindOrderPorts): Pick<HostApi, 'rewind' | 'snapshotChanges' | 'namesAsked'> {
  const { context, disks } = ports
  const { lock, requireSandbox, toHostSandbox } = context
  return {
    rewind: (sandboxId, order) =>
      lock(sandboxId, async () => {
        const sandbox = await requireSandbox(sandboxId)
        // The rewind itself is not refused: an earlier order can have begun it.
        const memoryObstacle = context.isShuttingDown() ? 'The host daemon was shutting down.' : ''
        const wanted = { sandbox, ...order, memoryObstacle }
        const rewound = await ports.spares.pauseRefillDuring(() => ports.rewinds.rewind(wanted))
        return { sandbox: await toHostSandbox(sandbox), ...rewound }
      }),
    // Wakes no sandbox and waits for no lock.
    snapshotChanges: async (sandboxId, named) => {
      const sandbox = await requireSandbox(sandboxId)
      const { placeId: diskId } = sandbox
      const snapshotId = named === imageSnapshot ? null : named
      // Comparing the disk itself changes it: a wake would read all of it, and a turn that changed nothing could not
      // share the memory of the previous one.
      const of = await ports.snapshots.ofPresent(sandbox)
      const changes = await disks.compareWithSnapshot({ diskId, snapshotId, of, naming })
      const { sizes, removedCount, changedCount, addedCount, folders } = changes
      const counted = await disks.countChangedLines({ diskId, snapshotId, of, names: textsFirst(sizes) })
      const files = sizes.map((file) => ({ ...file, lines: counted.get(file.name) ?? null }))
      return { files, removedCount, changedCount, addedCount, folders }
    },
    namesAsked: async (sandboxId, query) => {
      const { placeId } = await requireSandbox(sandboxId)
      const since = query.withinMs === undefined ? query.since : ports.clock() - query.withinMs
      const asked = ports.network.namesAsked(placeId, since)
      const refused = (ports.network.namesRefused(placeId, since)?.names ?? []).map(
        ({ reason = 'policy', ...name }) => ({
          ...name,
          reason,
        }),
      )
      return asked === undefined ? { knownSince: null, names: [], refused } : { ...asked, refused }
    },
  }
}

/** Changed files, home directories first: they can exceed the number that is counted. */
function textsFirst(files: readonly DiskFileSize[]): string[] {
  const changed = files.filter(({ bytesBefore, bytesNow }) => bytesBefore !== null && bytesNow !== null)
  return changed.map(({ name }) => name).toSorted((one, other) => fileRankOf(one) - fileRankOf(other))
}
