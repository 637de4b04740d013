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
import { isAsleep, type PausedBoots } from '../../memory/memory/paused-boots.ts'
import { goOnFrom, type SavedMemoryPorts } from '../../memory/memory/saved-memory.ts'
import type { SnapshotMemories } from '../../memory/snapshots/snapshot-memories.ts'
import type { Snapshots } from '../../memory/snapshots/snapshots.ts'
import type { MoveAddress } from './move-address.ts'
import { rewindTargetGone } from './rewinds.errors.ts'

/**
 * Sandboxes that become what they were earlier. What they are now is kept first, while nothing else is changed yet; then
 * it is recorded that the rewind is to be, and from there on it is finished. The memory of the sandbox ends before its disk
 * is touched, and what goes on over the exchanged disk is only ever the memory that was saved with that very content. The
 * caller sees to it that one thing at a time is done with a sandbox.
 */
export type Rewinds = {
  /** Asked again with the same `keepId`: the same rewind. */
  rewind(options: WantedRewind): Promise<Omit<RewoundSandbox, 'sandbox'>>
  /** Finishes what was begun, without memory; a sandbox may start over its disk only after that. */
  settle(sandbox: StoredSandbox): Promise<void>
  /** As `settle`, at a start of the daemon: what cannot be finished now is left for the next order. */
  reclaim(sandbox: StoredSandbox): Promise<void>
}

export type WantedRewind = {
  sandbox: StoredSandbox
  snapshotId: string | null
  keepId: string
  /** For what is kept of the present. */
  memory: SnapshotMemoryOrder
  /** Of the boot that goes on out of the memory of then; null: none is to. */
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

type Begun = Pick<RewindsTable, 'targetId' | 'bootId'>

/** The host ended in between, and a boot that nobody waits for is not begun. */
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

/** Begun again after a crash, from wherever it was. */
async function finish(ports: RewindsPorts, sandbox: StoredSandbox, { targetId, bootId }: Begun): Promise<void> {
  const { disks, store, logger } = ports
  const { sandboxId, placeId: diskId } = sandbox
  await endBoot(ports, sandbox)
  try {
    await disks.restoreSnapshot({ diskId, snapshotId: targetId })
  } catch (error) {
    // There is nothing to go back to: the disk stays as it is.
    if (isErrorOf({ code: 'disk.snapshot-not-found' }, error)) await store.remove(sandboxId)
    throw error
  }
  // Else a disk that is lost later would get back what was undone here.
  await ports.paused.markPoint(sandbox)
  const problem = await goOn(ports, sandbox, { targetId, bootId })
  await store.finish(sandboxId, problem)
  logger.info({ sandboxId, targetId, problem }, 'sandbox rewound')
}

/** Whatever there is of a boot, one of an earlier attempt included: the disk is exchanged under nothing. */
async function endBoot({ boots, paused, running, launch }: RewindsPorts, sandbox: StoredSandbox): Promise<void> {
  const boot = await boots.current(sandbox.sandboxId)
  if (boot === undefined) return
  if (isAsleep(boot)) return await paused.drop({ sandbox, boot, detail: 'The thread was rewound.' })
  if (boot.state === 'ready') return await running.stop(boot)
  // Nobody was told of it.
  await launch.driver.stop(boot.driverBootId)
  await launch.driver.forget(boot.driverBootId)
  await boots.remove(boot.bootId)
}

/** Why the memory of then does not go on; empty when it does, or when there is none. */
async function goOn(ports: RewindsPorts, sandbox: StoredSandbox, { targetId, bootId }: Begun): Promise<string> {
  const { sandboxId } = sandbox
  const memory = targetId === null ? undefined : await ports.memories.find(sandbox, targetId)
  if (memory === undefined) return ''
  if (bootId === null) return interrupted
  try {
    const moved = await ports.moveAddress(sandbox)
    await goOnFrom(ports, { sandbox: moved, bootId, memory, hostname: sandbox.hostname ?? sandboxId })
    return ''
  } catch (error) {
    ports.logger.warn({ err: error, sandboxId }, 'the memory of an earlier moment cannot be used')
    // What ran of it for a moment may have written: the disk is that of then, and nothing else.
    await ports.disks.restoreSnapshot({ diskId: sandbox.placeId, snapshotId: targetId })
    return reasonOf(error)
  }
}
