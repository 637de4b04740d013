import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '@threadbox/telemetry'
import { isOnBtrfs, makeBorrowedPool } from './borrowed-pool.ts'
import { makeBtrfsVolumes } from './btrfs-volumes.ts'
import { devicesBelow } from './devices-below.ts'
import type { DiskStore } from './disk-store.ts'
import { makeLoopFilePool } from './loop-file-pool.ts'
import type { PoolReserves } from './pool-reserves.logic.ts'
import { makeVolumeDiskStore } from './volume-disk-store.ts'

export type BtrfsDiskStoreOptions = {
  /** Keeps the names of two installations on one host or one file system apart. */
  installation: string
  /** Contains `pool`, the mount point, and, unless it is on btrfs itself, `pool.img`, the pool file. */
  directory: string
  /** Size of the pool file. If larger than the existing file, the file grows; if smaller, nothing changes. */
  poolSizeBytes: number
  /** The space that the pool file, or the sandboxes on a borrowed file system, leave free for the rest of the host. */
  keepFreeBytes: number
  reserves: PoolReserves
  logger: Logger
}

/**
 * The disk store on btrfs: all operations except writing data take milliseconds, regardless of the size of a disk.
 * Needs root.
 */
export async function makeBtrfsDiskStore(options: BtrfsDiskStoreOptions): Promise<DiskStore> {
  const { installation, directory, keepFreeBytes, reserves, logger } = options
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const mountPoint = mountPointIn(directory)
  const pool = (await isOnBtrfs(directory))
    ? makeBorrowedPool({ directory: mountPoint, keepFreeBytes })
    : makeLoopFilePool({
        file: join(directory, 'pool.img'),
        mountPoint,
        sizeBytes: options.poolSizeBytes,
        keepFreeBytes,
        label: `threadbox-${installation}`,
      })
  const volumes = makeBtrfsVolumes({ pool, installation, reserves, logger })
  return makeVolumeDiskStore({ volumes, reserves, logger })
}

function mountPointIn(directory: string): string {
  return join(directory, 'pool')
}

/** The block devices of the pool in a disk store’s directory, as `major:minor`. Empty while it is not mounted. */
export async function poolDevices(directory: string): Promise<string[]> {
  return await devicesBelow(mountPointIn(directory))
}
