import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '@threadbox/telemetry'
import { isOnBtrfs, makeBorrowedPool } from './borrowed-pool.ts'
import { makeBtrfsVolumes } from './btrfs-volumes.ts'
import type { DiskStore } from './disk-store.ts'
import { makeLoopFilePool } from './loop-file-pool.ts'
import type { PoolReserves } from './pool-reserves.models.ts'
import { makeVolumeDiskStore } from './volume-disk-store.ts'

export type BtrfsDiskStoreOptions = {
  /** Keeps names of two installations on one machine or one file system apart. */
  installation: string
  /** Has `pool`, where the pool is seen, and, unless it is on btrfs itself, `pool.img`, where its bytes are. */
  directory: string
  /** Size of the pool file. Larger than what is there: the file grows. Smaller: nothing changes. */
  poolSizeBytes: number
  /** What the pool file, or the sandboxes on a borrowed file system, leave free for the rest of the machine. */
  keepFreeBytes: number
  reserves: PoolReserves
  logger: Logger
}

/** The disk store on btrfs: everything but writing data takes milliseconds, whatever the size of a disk. Needs root. */
export async function makeBtrfsDiskStore(options: BtrfsDiskStoreOptions): Promise<DiskStore> {
  const { installation, directory, keepFreeBytes, reserves, logger } = options
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const mountPoint = join(directory, 'pool')
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
