import type { LineCounts } from './line-counts.ts'
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

  /**
   * Makes a disk from an image. Throws `disk.image-not-found`, `disk.pool-full` (reserve reached), and `disk.not-found`
   * for one whose content was lost: it is not replaced by an empty one in silence. With `from` it begins with the content
   * of another disk of the same image, as it is now or as in a snapshot of it, and shares with it what neither changes.
   */
  createDisk(options: { diskId: string; imageId: string; limitBytes: number; from?: DiskContent }): Promise<Disk>
  /** Throws `disk.not-found`. */
  getDisk(diskId: string): Promise<Disk>
  listDisks(): Promise<Disk[]>
  /** Takes effect at once, also while the disk is in use. Lower than what is used: further writes fail until freed. */
  setDiskLimit(options: { diskId: string; limitBytes: number }): Promise<void>
  /** Bytes that the disk and its snapshots hold beyond their image. */
  diskUsage(diskId: string): Promise<{ usedBytes: number; limitBytes: number }>
  /** Returns when everything written so far would survive a power loss. */
  syncDisk(diskId: string): Promise<void>
  /** The disk, its snapshots and the memory that was kept for it. */
  deleteDisk(diskId: string): Promise<void>

  /**
   * Says which content a disk has: two equal answers mean that nothing was written in between; two different ones need
   * not mean that anything was. Syncs the disk first. A snapshot of the disk changes it, and so does a comparison.
   */
  diskGeneration(diskId: string): Promise<string>
  /**
   * Freezes the disk's content as it is now, in no time, also while it is in use; with `of`, the content of that
   * snapshot. A snapshot counts into the limit of its disk and goes with it. Throws `disk.snapshots-unsupported` where a
   * snapshot would evade the disk's limit, and `disk.no-room-for-snapshot` when that limit is reached.
   */
  snapshotDisk(options: { diskId: string; snapshotId: string; of?: string | undefined }): Promise<Snapshot>
  /**
   * Whether anything may have been written to the disk since the snapshot was made. Syncs the disk first, and looks at no
   * file: true need not mean that anything differs. Throws `disk.snapshot-not-found`.
   */
  mayDifferFromSnapshot(options: { diskId: string; snapshotId: string }): Promise<boolean>
  /**
   * Bytes of files, before compression, that a snapshot has and an earlier one (`since`, or the image) had not: what was
   * written in between and is still there. Counts too much rather than too little.
   */
  writtenBytes(options: { diskId: string; snapshotId: string; since: string | undefined }): Promise<number>
  listSnapshots(diskId: string): Promise<Snapshot[]>
  deleteSnapshot(options: { diskId: string; snapshotId: string }): Promise<void>
  /**
   * Gives the disk, also one whose content was lost, the content of a snapshot, which stays; null: of its image. The disk
   * must not be in use. Throws `disk.snapshot-not-found`.
   */
  restoreSnapshot(options: { diskId: string; snapshotId: string | null }): Promise<Disk>
  /**
   * What of the disk, as it is now, differs from a snapshot (null: from its image). Where the file system can say what was
   * written, at a cost that grows with that; else by looking at both whole. Changes the disk's generation; not with `of`,
   * which compares the content of that snapshot in the place of the disk's. Throws `disk.snapshot-not-found`,
   * `disk.too-many-files`: both would have to be read whole, and have too many.
   */
  compareWithSnapshot(options: {
    diskId: string
    snapshotId: string | null
    of?: string | undefined
    naming?: DiskNaming | undefined
  }): Promise<DiskChanges>
  /**
   * Names of all that the disk has and its image has not, or has with another content or mode, and some that only the image
   * has: byte for byte (as latin1), relative to the root. A directory that both have is not among them. Undefined: the file
   * system cannot say it at a cost that grows with what was written. Changes the disk's generation.
   */
  namesBesideImage(diskId: string): Promise<readonly string[] | undefined>
  /** Lines of text files that the disk has and the snapshot has not, and the other way round, of those that are counted. */
  countChangedLines(options: {
    diskId: string
    snapshotId: string | null
    of?: string | undefined
    names: readonly string[]
  }): Promise<ReadonlyMap<string, LineCounts>>
  /**
   * Of these files, those that begin on the disk with all that they held in the snapshot, with how many bytes follow; of as
   * many as can be read in a moment. Throws `disk.snapshot-not-found`.
   */
  findExtendedFiles(options: {
    diskId: string
    snapshotId: string
    names: readonly string[]
  }): Promise<ReadonlyMap<string, number>>

  /** An empty directory for saved memory, durable after `syncMemoryPlace`. Outside of the limit of the disk. */
  makeMemoryPlace(options: { diskId: string; imageId: string }): Promise<MemoryPlace>
  /** Returns when everything in the place, and its name, would survive a power loss. */
  syncMemoryPlace(options: { diskId: string; imageId: string }): Promise<void>
  listMemoryPlaces(): Promise<MemoryPlace[]>
  deleteMemoryPlace(options: { diskId: string; imageId: string }): Promise<void>

  poolUsage(): Promise<PoolUsage>
}

/** What a disk contains, or contained when the snapshot was made. */
export type DiskContent = { diskId: string; snapshotId?: string | undefined }

export type Snapshot = { diskId: string; snapshotId: string; path: string }

/**
 * How differences are told: whose a file is, the file system does not know. Names are relative to the root of the disk. What
 * differs at all (`isSame`) does not depend on it.
 */
export type DiskNaming = {
  /** Neither named nor counted. */
  isLeftOut(name: string): boolean
  /** The directory for which it is counted instead of being named, of which it can itself be the name. */
  folderOf(name: string): string | undefined
  /** Lower ones are named first where there are too many. */
  rankOf(name: string): number
}

/** At most 1000 names each, relative to the root of the disk; the counts are of all but those in `folders`. */
export type DiskChanges = {
  /** Nothing differs, not even a directory's mode or the time of a change that was undone. */
  isSame: boolean
  removed: string[]
  changed: string[]
  added: string[]
  removedCount: number
  changedCount: number
  addedCount: number
  /** Sizes of the names above, directories left out: before, and as it is now. */
  sizes: DiskFileSize[]
  /** Files of which only their number is told, at most 1000 directories. */
  folders: DiskFolderChanges[]
}

export type DiskFolderChanges = { name: string; removedCount: number; changedCount: number; addedCount: number }

export type DiskFileSize = {
  name: string
  /** Null: it was not there. */
  bytesBefore: number | null
  /** Null: it is not there. */
  bytesNow: number | null
}

/** Where the memory of the sandbox on this disk is kept. */
export type MemoryPlace = { diskId: string; imageId: string; path: string }

export type Image = { imageId: string; path: string }

export type Disk = {
  diskId: string
  imageId: string
  /** Root directory of the filesystem on the host. */
  path: string
}

export type PoolUsage = {
  totalBytes: number
  usedBytes: number
  reservedBytes: number
  /** What saved memory takes. */
  memoryBytes: number
}
