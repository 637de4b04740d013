export { type BtrfsDiskStoreOptions, makeBtrfsDiskStore } from './btrfs-disk-store.ts'
export { makeDirectoryDiskStore } from './directory-disk-store.ts'
export {
  diskNotFound,
  imageInUse,
  imageNotFound,
  machineFull,
  poolBusy,
  poolFull,
  poolSparse,
  poolUnsupported,
} from './disk-store.errors.ts'
export type { Disk, DiskStore, Image, PoolUsage } from './disk-store.ts'
export type { PoolReserves } from './pool-reserves.models.ts'
