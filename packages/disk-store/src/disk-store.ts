/**
 * Where sandboxes keep their files.
 *
 * An *image* is a read-only starting filesystem, known by the hash of its recipe. A *disk* is one sandbox's writable
 * filesystem: it starts as a copy-on-write copy of an image and lives until it is deleted. A *pool* holds both and has
 * reserves, so that one full sandbox never stops the others and a write that was acknowledged is never lost.
 *
 * Every method may be called again with the same arguments after a crash: making something that exists returns it,
 * deleting something that is gone does nothing.
 */
export type DiskStore = {
  /** Prepares the pool (creating, mounting, growing it as configured) and removes what a crash left half-made. */
  prepare(): Promise<void>
  /** Unmounts what {@link DiskStore.prepare} mounted. Disks must not be in use. */
  close(): Promise<void>

  /**
   * Makes an image by letting `build` fill an empty directory, then freezes it. When `build` throws, nothing stays.
   * When the image exists `build` is not called.
   */
  importImage(options: { imageId: string; build: (path: string) => Promise<void> }): Promise<Image>
  listImages(): Promise<Image[]>
  /** Throws `disk.image-in-use` while a disk was made from it. */
  deleteImage(imageId: string): Promise<void>

  /** Makes a disk from an image. Throws `disk.image-not-found`, `disk.pool-full` (reserve reached). */
  createDisk(options: { diskId: string; imageId: string; limitBytes: number }): Promise<Disk>
  /** Throws `disk.not-found`. */
  getDisk(diskId: string): Promise<Disk>
  listDisks(): Promise<Disk[]>
  /** Takes effect at once, also while the disk is in use. Lower than what is used: further writes fail until freed. */
  setDiskLimit(options: { diskId: string; limitBytes: number }): Promise<void>
  /** Bytes that the disk and its snapshots hold beyond their image. */
  diskUsage(diskId: string): Promise<{ usedBytes: number; limitBytes: number }>
  /** Returns when everything written so far would survive a power loss. */
  syncDisk(diskId: string): Promise<void>
  deleteDisk(diskId: string): Promise<void>

  poolUsage(): Promise<PoolUsage>
}

export type Image = { imageId: string; path: string }

export type Disk = {
  diskId: string
  imageId: string
  /** Root directory of the filesystem on the host. */
  path: string
}

export type PoolUsage = { totalBytes: number; usedBytes: number; reservedBytes: number }
