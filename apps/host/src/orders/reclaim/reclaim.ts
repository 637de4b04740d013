import type { Logger } from '@threadbox/telemetry'
import type { Forks } from '../../copies/forks/forks.ts'
import type { Rewinds } from '../../copies/rewinds/rewinds.ts'
import type { StoredSandbox } from '../../machine/state/sandboxes.store.ts'
import type { Snapshots } from '../../memory/snapshots/snapshots.ts'
import { type DeletePorts, deleteSandbox } from '../sandboxes/delete-sandbox.ts'

export type ReclaimParts = DeletePorts & { snapshots: Snapshots; forks: Forks; rewinds: Rewinds; logger: Logger }

type Counts = { adopted: number; paused: number; ended: number; removed: number }

/**
 * Makes the machine agree with the records after a daemon ended at any moment: first what belongs to nobody is removed
 * (boots that nobody was told of, namespaces, half-made disks), then what was begun is finished or undone (deletions,
 * pauses, wakes) or found again (running and paused boots). Disks that no record names are left alone: they may be all that is left of a lost database.
 */
export async function reclaim(parts: ReclaimParts): Promise<Counts> {
  const { sandboxes, logger } = parts
  await parts.disks.prepare()
  await parts.forks.reclaim()
  const known = await sandboxes.list()
  await parts.network.prepare({ keep: new Set(known.map((sandbox) => sandbox.placeId)) })
  const removed = await removeUnknownBoots(parts)
  await parts.spares.reclaim()
  const counts: Counts = { adopted: 0, paused: 0, ended: 0, removed }
  for (const sandbox of known) {
    const outcome = await reclaimOne(parts, sandbox)
    if (outcome !== undefined) counts[outcome] += 1
  }
  await parts.paused.removeLeftOvers()
  await parts.snapshots.reclaim(known)
  logger.info(counts, 'records and machine agree')
  return counts
}

async function reclaimOne(parts: ReclaimParts, sandbox: StoredSandbox): Promise<keyof Counts | undefined> {
  const { driver, boots } = parts
  if (sandbox.isDeleting) {
    await deleteSandbox(parts, sandbox)
    return 'removed'
  }
  await parts.rewinds.reclaim(sandbox)
  const boot = await boots.current(sandbox.sandboxId)
  if (boot === undefined) return undefined
  if (boot.state === 'starting') {
    // Its order was never answered: whoever sent it sends it again.
    await driver.stop(boot.driverBootId)
    await driver.forget(boot.driverBootId)
    await boots.remove(boot.bootId)
    return 'removed'
  }
  const slept = await parts.paused.reclaim({ sandbox, boot })
  if (slept === 'running') return 'adopted'
  if (slept !== undefined) return slept
  const isRunning = await parts.running.adopt({ sandbox, boot })
  // Its namespace has outlived the daemon; what the daemon itself knew of it has not.
  if (isRunning) await parts.network.attach({ ...sandbox, sandboxId: sandbox.placeId })
  return isRunning ? 'adopted' : 'ended'
}

async function removeUnknownBoots({ driver, boots, logger }: ReclaimParts): Promise<number> {
  const recorded = new Set((await boots.listCurrent()).map((boot) => boot.driverBootId))
  const leaked = (await driver.list()).filter((status) => !recorded.has(status.bootId))
  for (const { bootId } of leaked) {
    logger.warn({ bootId }, 'removing a boot that nobody knows')
    await driver.stop(bootId)
    await driver.forget(bootId)
  }
  return leaked.length
}
