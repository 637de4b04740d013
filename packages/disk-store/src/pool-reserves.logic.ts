import type { VolumeSpace } from './volumes.ts'

/** Space that disks cannot use: images must fit, and every sandbox’s memory must fit when it is saved. */
export type PoolReserves = { imageBytes: number; memoryImageBytes: number }

/** The part of the reserves that is not in use yet and must still be free. */
export function openReserveBytes(options: { reserves: PoolReserves; imageBytes: number; memoryBytes: number }): number {
  const { reserves, imageBytes, memoryBytes } = options
  return Math.max(0, reserves.imageBytes - imageBytes) + Math.max(0, reserves.memoryImageBytes - memoryBytes)
}

/** Whether a new disk can be created: the free space must exceed the open reserve, and something can be written to it. */
export function hasRoomForDisk(options: { reserves: PoolReserves; space: VolumeSpace; memoryBytes: number }): boolean {
  const { reserves, space, memoryBytes } = options
  const isReserveFree = space.availableBytes > openReserveBytes({ reserves, imageBytes: space.imageBytes, memoryBytes })
  return isReserveFree && space.disksRoomBytes > smallestRoomBytes
}

/** With less, a sandbox could not start: it writes its kernel’s files, its shell’s, and logs. */
const smallestRoomBytes = 4 * 1024 * 1024

/**
 * The limit of all disks together, as long as the pool’s own tables (extents, checksums), which no quota counts, fit
 * into a twentieth of it (20,000 small files measured at 1.3 % of a 6 GiB pool that stores each table twice).
 */
export function diskBudgetBytes(options: { reserves: PoolReserves; space: VolumeSpace }): number {
  const { reserves, space } = options
  const forImages = Math.max(reserves.imageBytes, space.imageBytes)
  const forTables = Math.ceil(space.totalBytes / 20)
  return Math.max(minimumDiskBudgetBytes, space.totalBytes - forImages - reserves.memoryImageBytes - forTables)
}

/** Never zero: a disk must be able to record the deletion of its files. */
const minimumDiskBudgetBytes = 16 * 1024 * 1024

/**
 * How many bytes of tables still fit into a file system, how often it stores each, and how much it takes from the free
 * space whenever its tables need more.
 */
export type TableRoom = { freeBytes: number; copies: number; stepBytes: number }

/**
 * The limit of all disks together right now: their budget, or less if they could otherwise take what must stay free.
 * The budget assumes that a byte that is counted takes one byte. An empty file, a link or a copy without data also takes
 * space in tables that no quota counts, and older pools store every table twice.
 */
export function disksLimitBytes(options: {
  budgetBytes: number
  /** What the disks hold, without what is still to be written. */
  heldBytes: number
  /** What is free, without the open reserve. */
  spareBytes: number
  tables: TableRoom
}): number {
  const { budgetBytes, heldBytes, spareBytes, tables } = options
  const { copies, stepBytes, freeBytes } = tables
  const spare = Math.min(Math.floor((spareBytes - stepBytes) / copies), freeBytes - tableMarginBytes)
  return Math.max(minimumDiskBudgetBytes, Math.min(budgetBytes, heldBytes + Math.max(0, spare)))
}

/** Saving 8 GiB of memory writes tables of about 10 MiB; several sandboxes can pause at the same time. */
const tableMarginBytes = 64 * 1024 * 1024
