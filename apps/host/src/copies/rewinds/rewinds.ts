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
 * Returns sandboxes to an earlier state. First a snapshot keeps the current state; then the rewind is recorded, and
 * from that point on a crash or an error leaves a pending rewind, which is finished later unless its snapshot is gone.
 * The boot ends before its disk is replaced, and the only memory restored over that disk is what the same snapshot
 * saved. Callers hold the sandbox's lock.
 */
export type Rewinds = {
  /**
   * First finishes a pending rewind. Then throws `rewind.target-gone` before it changes anything else. With the `keepId`
   * of the sandbox's newest rewind, it returns what is left of that rewind (memory only while the boot that it restored
   * is current); if the snapshot that it kept is gone, it rewinds again.
   */
  rewind(options: RewindRequest): Promise<Omit<RewoundSandbox, 'sandbox'>>
  /**
   * Finishes a pending rewind on the disk only: the snapshot's memory is not restored. Called before every boot,
   * because a pending rewind can have replaced a part of what the boot would use.
   */
  finishPending(sandbox: StoredSandbox): Promise<void>
  /** `finishPending` at a start of the daemon: an error is logged, and the daemon's next start, a boot or a rewind retries. */
  reclaim(sandbox: StoredSandbox): Promise<void>
}

export type RewindRequest = {
  sandbox: StoredSandbox
  /** The snapshot to return to; null: the image. */
  snapshotId: string | null
  /** Names the rewind, and the snapshot that keeps the current state. */
  keepId: string
  /** How memory is saved with the snapshot of the current state. */
  memory: SnapshotMemoryOrder
  /** Id of the boot that continues from the memory of the snapshot to return to; null: the caller wants none. */
  bootId: string | null
  /** Why that memory cannot be restored now; empty if it can. */
  memoryObstacle: string
}

type RewindsPorts = SavedMemoryPorts & {
  disks: DiskStore
  /** The records of boots; `running` operates them. */
  boots: BootsStore
  running: Boots
  paused: Pick<PausedBoots, 'drop' | 'markPoint'>
  snapshots: Pick<Snapshots, 'take' | 'list'>
  memories: Pick<SnapshotMemories, 'find'>
  moveAddress: MoveAddress
  store: RewindsStore
  logger: Logger
}

type UnfinishedRewind = Pick<RewindsTable, 'targetId' | 'bootId'> & Pick<RewindRequest, 'memoryObstacle'>

/** Of a pending rewind: no boot is started from memory, because perhaps no caller is waiting for it. */
const interrupted = 'The rewind was interrupted and finished later.'

export function makeRewinds(ports: RewindsPorts): Rewinds {
  const { store, snapshots, logger } = ports
  const finishPending = async (sandbox: StoredSandbox) => {
    const last = await store.find(sandbox.sandboxId)
    if (last?.phase === 'begun') await finish(ports, sandbox, { ...last, memoryObstacle: interrupted })
  }
  const find = async (sandbox: StoredSandbox, snapshotId: string) =>
    (await snapshots.list(sandbox)).find((snapshot) => snapshot.snapshotId === snapshotId)
  return {
    finishPending,
    rewind: async ({ sandbox, snapshotId, keepId, memory, bootId, memoryObstacle }) => {
      const { sandboxId } = sandbox
      await finishPending(sandbox)
      const last = await store.find(sandboxId)
      const alreadyKept = last?.keepId === keepId ? await find(sandbox, last.keptId) : undefined
      if (alreadyKept !== undefined) return await outcomeOf(ports, { sandbox, kept: alreadyKept })
      if (snapshotId !== null && (await find(sandbox, snapshotId)) === undefined) throw rewindTargetGone({ snapshotId })
      const { snapshot: kept } = await snapshots.take({
        sandbox,
        snapshotId: keepId,
        memory,
        sharesMemory: false,
      })
      const rewind = { sandboxId, keepId, keptId: kept.snapshotId, targetId: snapshotId, bootId }
      await store.begin(rewind)
      await finish(ports, sandbox, { ...rewind, memoryObstacle })
      return await outcomeOf(ports, { sandbox, kept })
    },
    reclaim: async (sandbox) => {
      await finishPending(sandbox).catch((error: unknown) => {
        logger.error({ err: error, sandboxId: sandbox.sandboxId }, 'a rewind could not be finished')
      })
    },
  }
}

async function outcomeOf(
  { boots, store }: RewindsPorts,
  { sandbox, kept }: { sandbox: StoredSandbox; kept: HostSnapshot },
): Promise<Omit<RewoundSandbox, 'sandbox'>> {
  const last = await store.find(sandbox.sandboxId)
  const boot = await boots.current(sandbox.sandboxId)
  const isRestored = boot !== undefined && boot.bootId === last?.bootId
  return { kept, from: isRestored ? 'memory' : 'disk', problem: isRestored ? '' : (last?.problem ?? '') }
}

/** Can be called again after a crash, at any step. */
async function finish(ports: RewindsPorts, sandbox: StoredSandbox, rewind: UnfinishedRewind): Promise<void> {
  const { targetId } = rewind
  const { disks, store, logger } = ports
  const { sandboxId, placeId: diskId } = sandbox
  await endBoot(ports, sandbox)
  try {
    await disks.restoreSnapshot({ diskId, snapshotId: targetId })
  } catch (error) {
    // The snapshot is gone from the disk pool: the disk stays unchanged, but its boot has ended.
    if (isErrorOf({ code: 'disk.snapshot-not-found' }, error)) await store.remove(sandboxId)
    throw error
  }
  // Otherwise the recovery of a lost disk would restore the state that was undone here.
  await ports.paused.markPoint(sandbox)
  const problem = await restoreMemoryAtRewind(ports, sandbox, rewind)
  await store.finish(sandboxId, problem)
  logger.info({ sandboxId, targetId, problem }, 'sandbox rewound')
}

/** Ends the current boot, including one that an earlier attempt started: nothing may run while the disk is replaced. */
async function endBoot({ boots, paused, running, launch }: RewindsPorts, sandbox: StoredSandbox): Promise<void> {
  const boot = await boots.current(sandbox.sandboxId)
  if (boot === undefined) return
  if (isBootAsleep(boot)) return await paused.drop({ sandbox, boot, detail: 'The thread was rewound.' })
  if (boot.state === 'ready') return await running.stop(boot)
  // It is still starting and was never reported to the server, so it is removed without recording an end.
  await launch.driver.stop(boot.driverBootId)
  await launch.driver.forget(boot.driverBootId)
  await boots.remove(boot.bootId)
}

/** Restores the snapshot's memory. Returns why it was not restored; empty if it was, or if none exists or is wanted. */
async function restoreMemoryAtRewind(
  ports: RewindsPorts,
  sandbox: StoredSandbox,
  { targetId, bootId, memoryObstacle }: UnfinishedRewind,
): Promise<string> {
  const { sandboxId } = sandbox
  const memory = targetId === null ? undefined : await ports.memories.find(sandbox, targetId)
  if (memory === undefined || bootId === null) return ''
  if (memoryObstacle !== '') return memoryObstacle
  try {
    const moved = await ports.moveAddress(sandbox)
    await restoreFromMemory(ports, { sandbox: moved, bootId, memory, hostname: sandbox.hostname ?? sandboxId })
    return ''
  } catch (error) {
    ports.logger.warn({ err: error, sandboxId }, 'the memory of a snapshot could not be restored')
    // The boot may have written to the disk before it failed, so the disk is restored again.
    await ports.disks.restoreSnapshot({ diskId: sandbox.placeId, snapshotId: targetId })
    return reasonOf(error)
  }
}
