import type { SandboxDriver } from '@threadbox/sandbox-driver'
import type { SandboxNetwork } from '@threadbox/sandbox-network'
import type { Logger } from '@threadbox/telemetry'
import type { Boots } from '../../boots/boots/boots.ts'
import type { Spares } from '../../boots/spares/spares.ts'
import type { Forks } from '../../copies/forks/forks.ts'
import type { BootsStore } from '../../machine/state/boots.store.ts'
import type { SandboxesStore, StoredSandbox } from '../../machine/state/sandboxes.store.ts'
import type { PausedBoots } from '../../memory/memory/paused-boots.ts'
import type { Snapshots } from '../../memory/snapshots/snapshots.ts'

type ReclaimPorts = {
  sandboxes: Pick<SandboxesStore, 'list'>
  boots: Pick<BootsStore, 'current' | 'listCurrent' | 'remove'>
  running: Pick<Boots, 'adopt'>
  driver: Pick<SandboxDriver, 'list' | 'stop' | 'forget'>
  network: Pick<SandboxNetwork, 'prepare' | 'attach'>
  spares: Pick<Spares, 'reclaim'>
  paused: Pick<PausedBoots, 'reclaim' | 'removeLeftOvers'>
  snapshots: Pick<Snapshots, 'reclaim'>
  forks: Pick<Forks, 'reclaim'>
  /** Completes or undoes what was begun with the disk: a rewind, or a move to the archive or back. */
  settleDisk(sandbox: StoredSandbox): Promise<void>
  /** Deletes a sandbox, also one whose deletion was begun. */
  remove(sandbox: StoredSandbox): Promise<void>
  logger: Logger
}

type Counts = { adopted: number; paused: number; ended: number; removed: number }

/**
 * Makes the machine agree with the records after a daemon ended at any moment. First removes what has no owner (boots
 * that were never reported, namespaces, half-made disks), then finishes or undoes what was begun (deletions, pauses,
 * wakes), then finds running and paused boots again. Disks without a record are left alone: they can be all that is
 * left of a lost database.
 */
export async function reclaim(ports: ReclaimPorts): Promise<Counts> {
  const { sandboxes, logger } = ports
  await ports.forks.reclaim()
  const known = await sandboxes.list()
  await ports.network.prepare({ keep: new Set(known.map((sandbox) => sandbox.placeId)) })
  const removed = await removeUnknownBoots(ports)
  await ports.spares.reclaim()
  const counts: Counts = { adopted: 0, paused: 0, ended: 0, removed }
  for (const sandbox of known) {
    const outcome = await reclaimOne(ports, sandbox)
    if (outcome !== undefined) counts[outcome] += 1
  }
  await ports.paused.removeLeftOvers()
  await ports.snapshots.reclaim(known)
  logger.info(counts, 'records and machine agree')
  return counts
}

async function reclaimOne(ports: ReclaimPorts, sandbox: StoredSandbox): Promise<keyof Counts | undefined> {
  const { driver, boots } = ports
  if (sandbox.isDeleting) {
    await ports.remove(sandbox)
    return 'removed'
  }
  await ports.settleDisk(sandbox)
  if (sandbox.isArchived) return undefined
  const boot = await boots.current(sandbox.sandboxId)
  if (boot === undefined) return undefined
  if (boot.state === 'starting') {
    // Its order got no response: its sender sends it again.
    await driver.stop(boot.driverBootId)
    await driver.forget(boot.driverBootId)
    await boots.remove(boot.bootId)
    return 'removed'
  }
  const slept = await ports.paused.reclaim({ sandbox, boot })
  if (slept === 'running') return 'adopted'
  if (slept !== undefined) return slept
  const isRunning = await ports.running.adopt({ sandbox, boot })
  // Its namespace has outlived the daemon; the daemon's own knowledge of it has not.
  if (isRunning) await ports.network.attach({ ...sandbox, sandboxId: sandbox.placeId })
  return isRunning ? 'adopted' : 'ended'
}

async function removeUnknownBoots({ driver, boots, logger }: ReclaimPorts): Promise<number> {
  const recorded = new Set((await boots.listCurrent()).map((boot) => boot.driverBootId))
  const leaked = (await driver.list()).filter((status) => !recorded.has(status.bootId))
  for (const { bootId } of leaked) {
    logger.warn({ bootId }, 'removing a boot without a record')
    await driver.stop(bootId)
    await driver.forget(bootId)
  }
  return leaked.length
}
