import type { DiskStore } from '@threadbox/disk-store'
import { bootMismatch } from '@threadbox/protocol/gateway'
import type { Logger } from '@threadbox/telemetry'
import type { Boots } from '../../boots/boots/boots.ts'
import type { Spares } from '../../boots/spares/spares.ts'
import { sandboxArchived } from '../../copies/archives/archives.errors.ts'
import type { Rewinds } from '../../copies/rewinds/rewinds.ts'
import { sandboxPaused } from '../../machine/errors/memory.errors.ts'
import { bootUsedBefore } from '../../machine/errors/orders.errors.ts'
import type { BootsStore } from '../../machine/state/boots.store.ts'
import type { SandboxesStore, StoredSandbox } from '../../machine/state/sandboxes.store.ts'
import type { MemoryRoom } from '../../memory/memory/memory-room.ts'
import { isBootAsleep, type PausedBoots } from '../../memory/memory/paused-boots.ts'

export type StartPorts = {
  sandboxes: SandboxesStore
  boots: BootsStore
  running: Boots
  disks: DiskStore
  spares: Spares
  paused: PausedBoots
  rewinds: Rewinds
  room: MemoryRoom
  logger: Logger
}

export async function startSandbox(
  ports: StartPorts,
  order: { sandbox: StoredSandbox; bootId: string; hostname: string },
): Promise<void> {
  const { sandbox, bootId, hostname } = order
  const { sandboxId } = sandbox
  if (sandbox.isArchived) throw sandboxArchived({ sandboxId })
  const current = await ports.boots.current(sandboxId)
  if (current?.bootId === bootId && !isBootAsleep(current)) return
  if (current?.bootId === bootId) throw sandboxPaused({})
  if (current !== undefined) throw bootMismatch({ sandboxId, bootId, currentBootId: current.bootId })
  if ((await ports.boots.find(bootId)) !== undefined) throw bootUsedBefore({ bootId })
  await ports.rewinds.finishPending(sandbox)
  const { diskPath, diskRestoredFrom } = await openDisk(ports, sandbox)
  const waiting = ports.spares.claim(sandbox.placeId)
  if (waiting === undefined) await ports.room.ensureForStart()
  if (sandbox.hostname === null) await ports.sandboxes.setHostname(sandboxId, hostname)
  const kept = sandbox.hostname ?? hostname
  await ports.running.start({ sandbox, diskPath, bootId, hostname: kept, waiting, diskRestoredFrom })
}

/**
 * Opens the disk of a sandbox that is to start. A sandbox that never ran can get an empty one (a crash may have come
 * between). After that a missing disk is lost: its snapshot replaces it, or the order says that none exists.
 */
async function openDisk(
  ports: Pick<StartPorts, 'disks' | 'paused' | 'logger'>,
  sandbox: StoredSandbox,
): Promise<{ diskPath: string; diskRestoredFrom: number | null }> {
  const { placeId: diskId, imageId, limits } = sandbox
  if (sandbox.hostname === null) {
    const { path } = await ports.disks.createDisk({ diskId, imageId, limitBytes: limits.diskBytes })
    return { diskPath: path, diskRestoredFrom: null }
  }
  try {
    return { diskPath: (await ports.disks.getDisk(diskId)).path, diskRestoredFrom: null }
  } catch (error) {
    const restored = await ports.paused.restoreDisk(sandbox)
    if (restored === undefined) throw error
    ports.logger.error(
      { err: error, sandboxId: sandbox.sandboxId, from: restored },
      'a lost disk was made from its snapshot',
    )
    return { diskPath: (await ports.disks.getDisk(diskId)).path, diskRestoredFrom: restored }
  }
}
