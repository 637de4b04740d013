import type { DiskStore } from '@threadbox/disk-store'
import { isErrorOf } from '@threadbox/errors'
import type { HostSnapshot, RewoundSandbox, SnapshotMemoryOrder } from '@threadbox/protocol/host'
import type { Logger } from '@threadbox/telemetry'
import type { Boots } from '../../boots/boots/boots.ts'
import type { BootsStore } from '../../machine/state/boots.store.ts'
import type { RewindsStore } from '../../machine/state/rewinds.store.ts'
import type { StoredSandbox } from '../../machine/state/sandboxes.store.ts'
import type { RewindsTable } from '../../machine/state/state.tables.ts'
import { reasonOf } from '../../memory/memory/memory-steps.ts'
import { isBootAsleep, type PausedBoots } from '../../memory/memory/paused-boots.ts'
import { restoreFromMemory, type SavedMemoryPorts } from '../../memory/memory/saved-memory.ts'
import type { SnapshotMemories } from '../../memory/snapshots/snapshot-memories.ts'
import type { Snapshots } from '../../memory/snapshots/snapshots.ts'
import type { MoveAddress } from './move-address.ts'
import { rewindTargetGone } from './rewinds.errors.ts'

/**
 * Sandboxes that return to an earlier state. The present is kept first, before anything is changed; then the rewind is
 * recorded, and from that point on it will be finished. The sandbox's memory ends before its disk is touched, and only
 * memory that was saved with exactly that content continues over the exchanged disk. The caller ensures that only one
 * operation at a time runs on a sandbox.
 */
export type Rewinds = {
  /** Called again with the same `keepId`, it is the same rewind. */
  rewind(options: WantedRewind): Promise<Omit<RewoundSandbox, 'sandbox'>>
  /** Finishes a recorded rewind, without memory; a sandbox can start over its disk only after that. */
  settle(sandbox: StoredSandbox): Promise<void>
  /** Does the same as `settle`, at a start of the daemon: what cannot be finished now is left for the next order. */
  reclaim(sandbox: StoredSandbox): Promise<void>
}

export type WantedRewind = {
  sandbox: StoredSandbox
  snapshotId: string | null
  keepId: string
  /** For the kept present. */
  memory: SnapshotMemoryOrder
  /** Id of the boot that continues from the snapshot's memory; null: none does. */
  bootId: string | null
}

type RewindsPorts = SavedMemoryPorts & {
  disks: DiskStore
  boots: BootsStore
  running: Boots
  paused: Pick<PausedBoots, 'drop' | 'markPoint'>
  snapshots: Pick<Snapshots, 'take' | 'list'>
  memories: Pick<SnapshotMemories, 'find'>
  moveAddress: MoveAddress
  store: RewindsStore
  logger: Logger
}

type BegunRewind = Pick<RewindsTable, 'targetId' | 'bootId'>

/** The host daemon ended in between; a boot without a waiting caller is not started. */
const interrupted = 'The rewind was interrupted and finished later.'

export function makeRewinds(ports: RewindsPorts): Rewinds {
  const { store, snapshots, logger } = ports
  const settle = async (sandbox: StoredSandbox) => {
    const begun = await store.find(sandbox.sandboxId)
    if (begun?.phase === 'begun') await finish(ports, sandbox, { ...begun, bootId: null })
  }
  const find = async (sandbox: StoredSandbox, snapshotId: string) =>
    (await snapshots.list(sandbox)).find((one) => one.snapshotId === snapshotId)
  return {
    settle,
    rewind: async ({ sandbox, snapshotId, keepId, memory, bootId }) => {
      const { sandboxId } = sandbox
      await settle(sandbox)
      const last = await store.find(sandboxId)
      const known = last?.keepId === keepId ? await find(sandbox, last.keptId) : undefined
      if (known !== undefined) return await describe(ports, { sandbox, kept: known })
      if (snapshotId !== null && (await find(sandbox, snapshotId)) === undefined) throw rewindTargetGone({ snapshotId })
      const { snapshot: kept } = await snapshots.take({ sandbox, snapshotId: keepId, memory })
      const rewind = { sandboxId, keepId, keptId: kept.snapshotId, targetId: snapshotId, bootId }
      await store.begin(rewind)
      await finish(ports, sandbox, rewind)
      return await describe(ports, { sandbox, kept })
    },
    reclaim: async (sandbox) => {
      await settle(sandbox).catch((error: unknown) => {
        logger.error({ err: error, sandboxId: sandbox.sandboxId }, 'a rewind could not be finished')
      })
    },
  }
}

async function describe(
  { boots, store }: RewindsPorts,
  { sandbox, kept }: { sandbox: StoredSandbox; kept: HostSnapshot },
): Promise<Omit<RewoundSandbox, 'sandbox'>> {
  const last = await store.find(sandbox.sandboxId)
  const boot = await boots.current(sandbox.sandboxId)
  const isRunning = boot !== undefined && boot.bootId === last?.bootId
  return { kept, from: isRunning ? 'memory' : 'disk', problem: isRunning ? '' : (last?.problem ?? '') }
}

/** Can be called again after a crash, at any step. */
async function finish(ports: RewindsPorts, sandbox: StoredSandbox, { targetId, bootId }: BegunRewind): Promise<void> {
  const { disks, store, logger } = ports
  const { sandboxId, placeId: diskId } = sandbox
  await endBoot(ports, sandbox)
  try {
    await disks.restoreSnapshot({ diskId, snapshotId: targetId })
  } catch (error) {
    // The snapshot is gone: the disk stays unchanged.
    if (isErrorOf({ code: 'disk.snapshot-not-found' }, error)) await store.remove(sandboxId)
    throw error
  }
  // Otherwise a disk that is lost later would get back what was undone here.
  await ports.paused.markPoint(sandbox)
  const problem = await restoreMemoryAtRewind(ports, sandbox, { targetId, bootId })
  await store.finish(sandboxId, problem)
  logger.info({ sandboxId, targetId, problem }, 'sandbox rewound')
}

/** Ends any boot, also one of an earlier attempt: nothing can run while the disk is exchanged. */
async function endBoot({ boots, paused, running, launch }: RewindsPorts, sandbox: StoredSandbox): Promise<void> {
  const boot = await boots.current(sandbox.sandboxId)
  if (boot === undefined) return
  if (isBootAsleep(boot)) return await paused.drop({ sandbox, boot, detail: 'The thread was rewound.' })
  if (boot.state === 'ready') return await running.stop(boot)
  // The server does not know of it.
  await launch.driver.stop(boot.driverBootId)
  await launch.driver.forget(boot.driverBootId)
  await boots.remove(boot.bootId)
}

/** Restores the snapshot's memory. Returns why it was not restored; empty if it was, or if none exists. */
async function restoreMemoryAtRewind(
  ports: RewindsPorts,
  sandbox: StoredSandbox,
  { targetId, bootId }: BegunRewind,
): Promise<string> {
  const { sandboxId } = sandbox
  const memory = targetId === null ? undefined : await ports.memories.find(sandbox, targetId)
  if (memory === undefined) return ''
  if (bootId === null) return interrupted
  try {
    const moved = await ports.moveAddress(sandbox)
    await restoreFromMemory(ports, { sandbox: moved, bootId, memory, hostname: sandbox.hostname ?? sandboxId })
    return ''
  } catch (error) {
    ports.logger.warn({ err: error, sandboxId }, 'the memory of an earlier moment cannot be used')
    // The boot can have written in its short run: the snapshot's disk is restored once more.
    await ports.disks.restoreSnapshot({ diskId: sandbox.placeId, snapshotId: targetId })
    return reasonOf(error)
  }
}
