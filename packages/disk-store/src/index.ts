export { type BtrfsDiskStoreOptions, makeBtrfsDiskStore, poolDevices } from './btrfs-disk-store.ts'
export { makeDirectoryDiskStore } from './directory-disk-store.ts'
export {
  diskNotFound,
  imageInUse,
  imageNotFound,
  machineFull,
  noRoomForSnapshot,
  poolBusy,
  poolFull,
  poolSparse,
  poolUnsupported,
  snapshotNotFound,
  snapshotsUnsupported,
  tooManyFiles,
} from './disk-store.errors.ts'
export type {
  Disk,
  DiskChanges,
  DiskContent,
  DiskFileSize,
  DiskFolderChanges,
  DiskNaming,
  DiskStore,
  Image,
  MemoryImageDirectory,
  PoolUsage,
  Snapshot,
} from './disk-store.ts'
export type { PoolReserves } from './pool-reserves.logic.ts'
