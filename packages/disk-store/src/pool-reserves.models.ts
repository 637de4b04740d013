import type { VolumeSpace } from './volumes.ts'

/** Space that disks may not take: images must fit, and every sandbox must fit when it is saved. */
export type PoolReserves = { imageBytes: number; memoryImageBytes: number }

/** The part of the reserves that is not in use yet, so must still be free. */
export function openReserveBytes(options: { reserves: PoolReserves; imageBytes: number; memoryBytes: number }): number {
  const { reserves, imageBytes, memoryBytes } = options
  return Math.max(0, reserves.imageBytes - imageBytes) + Math.max(0, reserves.memoryImageBytes - memoryBytes)
}

/** Whether a new disk may be made: what is free must exceed what is reserved. */
export function hasRoomForDisk(options: { reserves: PoolReserves; space: VolumeSpace; memoryBytes: number }): boolean {
  const { reserves, space, memoryBytes } = options
  return space.availableBytes > openReserveBytes({ reserves, imageBytes: space.imageBytes, memoryBytes })
}

/**
 * What all disks together may hold. The file system's own tables are not counted by any quota: a twentieth of the pool
 * stays for them (metadata is kept twice; 20,000 small files measured at 1.3 % of a 6 GiB pool).
 */
export function diskBudgetBytes(options: { reserves: PoolReserves; space: VolumeSpace }): number {
  const { reserves, space } = options
  const forImages = Math.max(reserves.imageBytes, space.imageBytes)
  const forTables = Math.ceil(space.totalBytes / 20)
  return Math.max(minimumDiskBudgetBytes, space.totalBytes - forImages - reserves.memoryImageBytes - forTables)
}

/** Never zero: a disk must be able to record the deletion of its files. */
const minimumDiskBudgetBytes = 16 * 1024 * 1024
