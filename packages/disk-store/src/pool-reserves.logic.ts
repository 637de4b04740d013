import type { VolumeSpace } from './volumes.ts'

/** Space that disks cannot use: images must fit, and every sandbox’s memory must fit when it is saved. */
export type PoolReserves = { imageBytes: number; memoryImageBytes: number }

/** The part of the reserves that is not in use yet and must still be free. */
export function openReserveBytes(options: { reserves: PoolReserves; imageBytes: number; memoryBytes: number }): number {
  const { reserves, imageBytes, memoryBytes } = options
  return Math.max(0, reserves.imageBytes - imageBytes) + Math.max(0, reserves.memoryImageBytes - memoryBytes)
}

/** Whether a new disk can be created: the free space must exceed the open reserve. */
export function hasRoomForDisk(options: { reserves: PoolReserves; space: VolumeSpace; memoryBytes: number }): boolean {
  const { reserves, space, memoryBytes } = options
  return space.availableBytes > openReserveBytes({ reserves, imageBytes: space.imageBytes, memoryBytes })
}

/**
 * The limit of all disks together. No quota counts the file system’s own tables: a twentieth of the pool is kept for
 * them (metadata is stored twice; 20,000 small files measured at 1.3 % of a 6 GiB pool).
 */
export function diskBudgetBytes(options: { reserves: PoolReserves; space: VolumeSpace }): number {
  const { reserves, space } = options
  const forImages = Math.max(reserves.imageBytes, space.imageBytes)
  const forTables = Math.ceil(space.totalBytes / 20)
  return Math.max(minimumDiskBudgetBytes, space.totalBytes - forImages - reserves.memoryImageBytes - forTables)
}

/** Never zero: a disk must be able to record the deletion of its files. */
const minimumDiskBudgetBytes = 16 * 1024 * 1024
