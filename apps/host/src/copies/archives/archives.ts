import type { Readable } from 'node:stream'
import { pLimit } from '@threadbox/concurrency'
import type { DiskStore } from '@threadbox/disk-store'
import type { DiskContentView } from '@threadbox/protocol/host'
import type { Logger } from '@threadbox/telemetry'
import type { BootsStore } from '../../machine/state/boots.store.ts'
import type { PausePointsStore } from '../../machine/state/pause-points.store.ts'
import type { SandboxesStore, StoredSandbox } from '../../machine/state/sandboxes.store.ts'
import type { Snapshots } from '../../memory/snapshots/snapshots.ts'
import { unpackDisk } from '../environments/disk-streams.ts'
import { diskInUse, otherImage } from '../environments/environments.errors.ts'
import type { Rewinds } from '../rewinds/rewinds.ts'
import { archivedDiskChanged, archiveNoSpace } from './archives.errors.ts'

/**
 * Disks whose only copy is outside of the host. The record decides which copy counts: while it says archived, what is here
 * of the disk is a rest or incomplete, and is removed. The caller ensures that only one operation at a time runs on a
 * sandbox.
 */
export type Archives = {
  /** Throws `environment.in-use`, `disk.not-found`. */
  content(sandbox: StoredSandbox): Promise<DiskContentView>
  /** Deletes the disk if it still has this content. Throws `environment.in-use`, `archive.disk-changed`. */
  archive(sandbox: StoredSandbox, generation: string): Promise<void>
  /** Creates the disk again. Throws `archive.no-space`, `environment.other-image`, `environment.not-unpacked`. */
  restore(sandbox: StoredSandbox, options: { usedBytes: number; bytes: Readable }): Promise<void>
  /** Removes what a crash left here of an archived disk. */
  reclaim(sandbox: StoredSandbox): Promise<void>
}

export type ArchivesPorts = {
  sandboxes: Pick<SandboxesStore, 'setArchived'>
  boots: Pick<BootsStore, 'current'>
  disks: DiskStore
  rewinds: Pick<Rewinds, 'finishPending'>
  snapshots: Pick<Snapshots, 'list' | 'remove'>
  pausePoints: Pick<PausePointsStore, 'remove'>
  logger: Logger
}

/** Each uses a processor while its bytes are received. */
const maxTransfers = 2

export function makeArchives(ports: ArchivesPorts): Archives {
  const { sandboxes, disks, snapshots } = ports
  const received = pLimit(maxTransfers)
  const requireRest = async ({ sandboxId }: StoredSandbox) => {
    if ((await ports.boots.current(sandboxId)) !== undefined) throw diskInUse({ sandboxId })
  }
  const removeRest = async (sandbox: StoredSandbox) => {
    await disks.deleteDisk(sandbox.placeId)
    for (const { snapshotId } of await snapshots.list(sandbox)) await snapshots.remove({ sandbox, snapshotId })
    await ports.pausePoints.remove(sandbox.sandboxId)
  }
  return {
    content: async (sandbox) => {
      await requireRest(sandbox)
      await ports.rewinds.finishPending(sandbox)
      const generation = await disks.diskGeneration(sandbox.placeId)
      return { generation, usedBytes: (await disks.diskUsage(sandbox.placeId)).usedBytes }
    },
    archive: async (sandbox, generation) => {
      const { sandboxId, placeId } = sandbox
      if (!sandbox.isArchived) {
        await requireRest(sandbox)
        if ((await disks.diskGeneration(placeId)) !== generation) throw archivedDiskChanged({ sandboxId })
        await sandboxes.setArchived(sandboxId, true)
      }
      await removeRest(sandbox)
      ports.logger.info({ sandboxId }, 'a disk was archived')
    },
    restore: async (sandbox, { usedBytes, bytes }) => {
      if (!sandbox.isArchived) return void bytes.destroy()
      await requireFreeSpace(disks, usedBytes)
      await received(() => create(ports, sandbox, bytes))
      // Last: until then, a crash leaves an archived sandbox.
      await sandboxes.setArchived(sandbox.sandboxId, false)
      ports.logger.info({ sandboxId: sandbox.sandboxId }, 'a disk was restored from the archive')
    },
    reclaim: removeRest,
  }
}

async function requireFreeSpace(disks: DiskStore, neededBytes: number): Promise<void> {
  const { totalBytes, usedBytes, reservedBytes } = await disks.poolUsage()
  const freeBytes = Math.max(0, totalBytes - usedBytes - reservedBytes)
  if (freeBytes < neededBytes) throw archiveNoSpace({ neededBytes, freeBytes })
}

async function create({ disks }: ArchivesPorts, sandbox: StoredSandbox, bytes: Readable): Promise<void> {
  const { placeId: diskId, imageId, limits } = sandbox
  const images = await disks.listImages()
  if (!images.some((image) => image.imageId === imageId)) {
    throw otherImage({ wanted: imageId, present: images.map((image) => image.imageId).join(', ') })
  }
  // What an earlier attempt left.
  await disks.deleteDisk(diskId)
  try {
    const { path } = await disks.createDisk({ diskId, imageId, limitBytes: limits.diskBytes })
    await unpackDisk(path, { bytes, limitBytes: limits.diskBytes })
    await disks.syncDisk(diskId)
    await disks.commitDisk(diskId)
  } catch (error) {
    await disks.deleteDisk(diskId)
    throw error
  }
}
