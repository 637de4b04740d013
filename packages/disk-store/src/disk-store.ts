import type { LineCounts } from './line-counts.ts'
/**
 * Stores the files of sandboxes.
 *
 * An *image* is a read-only starting filesystem, known by the hash of its recipe. A *disk* is one sandbox's writable
 * filesystem: it starts as a copy-on-write copy of an image and lives until it is deleted. A *pool* holds both and has
 * reserves, so that one full sandbox never stops the others and an acknowledged write is never lost.
 *
 * Every method can be called again with the same arguments after a crash: creating something that exists returns it,
 * deleting something that does not exist does nothing.
 */
export type DiskStore = {
  /** Prepares the pool (creates, mounts and grows it as configured) and removes what a crash left incomplete. */
  prepare(): Promise<void>
  /** Unmounts what {@link DiskStore.prepare} mounted. Disks must not be in use. */
  close(): Promise<void>

  /**
   * Creates an image: `build` fills an empty directory, which is then frozen. If `build` throws, nothing is kept. If
   * the image exists, `build` is not called.
   */
  importImage(options: { imageId: string; build: (path: string) => Promise<void> }): Promise<Image>
  listImages(): Promise<Image[]>
  /** Throws `disk.image-in-use` while disks made from it exist. */
  deleteImage(imageId: string): Promise<void>

  /**
   * Creates a disk from an image. Throws `disk.image-not-found`, `disk.pool-full` (reserve reached), and
   * `disk.not-found` for a disk whose content was lost: it is never silently replaced by an empty one. With `from` it
   * starts with the content of another disk of the same image, as it is now or as in one of its snapshots, and shares
   * with it what neither changes.
   */
  createDisk(options: { diskId: string; imageId: string; limitBytes: number; from?: DiskContent }): Promise<Disk>
  /** Throws `disk.not-found`. */
  getDisk(diskId: string): Promise<Disk>
  listDisks(): Promise<Disk[]>
  /**
   * Takes effect immediately, also while the disk is in use. If the limit is lower than the usage, writes fail until
   * space is freed.
   */
  setDiskLimit(options: { diskId: string; limitBytes: number }): Promise<void>
  /** Bytes that the disk and its snapshots hold beyond their image. */
  diskUsage(diskId: string): Promise<{ usedBytes: number; limitBytes: number }>
  /** Returns when everything written so far would survive a power loss. */
  syncDisk(diskId: string): Promise<void>
  /** Returns when the disk’s existence would survive a power loss, with the content that it was created with. */
  commitDisk(diskId: string): Promise<void>
  /** Deletes the disk, its snapshots and its saved memory. */
  deleteDisk(diskId: string): Promise<void>

  /**
   * Identifies the content of a disk: equal values mean that nothing was written in between; different values do not
   * prove a write. Syncs the disk first. A snapshot of the disk changes the value, and so does a comparison.
   */
  diskGeneration(diskId: string): Promise<string>
  /**
   * Freezes the disk’s current content without copying it, also while it is in use; with `of`, the content of that
   * snapshot. A snapshot counts toward the limit of its disk and is deleted with it. Throws
   * `disk.snapshots-unsupported` if a snapshot would evade the disk’s limit, and `disk.no-room-for-snapshot` if that
   * limit is reached.
   */
  snapshotDisk(options: { diskId: string; snapshotId: string; of?: string | undefined }): Promise<Snapshot>
  /**
   * Whether anything may have been written to the disk since the snapshot was created. Syncs the disk first and reads
   * no file: true does not prove a difference. Throws `disk.snapshot-not-found`.
   */
  mayDifferFromSnapshot(options: { diskId: string; snapshotId: string }): Promise<boolean>
  /**
   * Bytes of files, before compression, that a snapshot has and an earlier one (`since`, or the image) does not: what
   * was written in between and still exists. Counts too much rather than too little.
   */
  writtenBytes(options: { diskId: string; snapshotId: string; since: string | undefined }): Promise<number>
  listSnapshots(diskId: string): Promise<Snapshot[]>
  deleteSnapshot(options: { diskId: string; snapshotId: string }): Promise<void>
  /**
   * Restores the disk, also one whose content was lost, from a snapshot, which is kept; null: from its image. The disk
   * must not be in use. Throws `disk.snapshot-not-found`.
   */
  restoreSnapshot(options: { diskId: string; snapshotId: string | null }): Promise<Disk>
  /**
   * Returns what differs between the disk’s current content and a snapshot (null: its image). If the file system can
   * list what was written, the cost grows with that; otherwise both are read completely. Changes the disk’s generation,
   * except with `of`, which compares the content of that snapshot instead of the disk’s. Throws
   * `disk.snapshot-not-found`, and `disk.too-many-files` if both would have to be read completely and have too many
   * files.
   */
  compareWithSnapshot(options: {
    diskId: string
    snapshotId: string | null
    of?: string | undefined
    naming?: DiskNaming | undefined
  }): Promise<DiskChanges>
  /**
   * Names of everything that the disk has and its image does not, or has with other content or another mode, and some
   * that only the image has: byte for byte (as latin1), relative to the root. A directory that both have is not
   * included. Undefined: the file system cannot list them at a cost that grows with what was written. Changes the
   * disk’s generation.
   */
  namesBesideImage(diskId: string): Promise<readonly string[] | undefined>
  /**
   * Counts lines of text files that only the disk or only the snapshot has, for the files that can be counted in time.
   */
  countChangedLines(options: {
    diskId: string
    snapshotId: string | null
    of?: string | undefined
    names: readonly string[]
  }): Promise<ReadonlyMap<string, LineCounts>>
  /**
   * Of these files, returns those whose content on the disk starts with their whole content in the snapshot, with the
   * number of bytes that follow. Stops after a short time. Throws `disk.snapshot-not-found`.
   */
  findExtendedFiles(options: {
    diskId: string
    snapshotId: string
    names: readonly string[]
  }): Promise<ReadonlyMap<string, number>>

  /**
   * Creates an empty directory for saved memory, durable after `syncMemoryPlace`. It does not count toward the limit of
   * the disk.
   */
  makeMemoryPlace(options: { diskId: string; imageId: string }): Promise<MemoryImageDirectory>
  /** Returns when the directory and everything in it would survive a power loss. */
  syncMemoryPlace(options: { diskId: string; imageId: string }): Promise<void>
  listMemoryPlaces(): Promise<MemoryImageDirectory[]>
  deleteMemoryPlace(options: { diskId: string; imageId: string }): Promise<void>

  poolUsage(): Promise<PoolUsage>
}

/** What a disk contains, or contained when the snapshot was made. */
export type DiskContent = { diskId: string; snapshotId?: string | undefined }

export type Snapshot = { diskId: string; snapshotId: string; path: string }

/**
 * How differences are listed, because the file system does not know who owns a file. Names are relative to the root of
 * the disk. Whether anything differs (`isSame`) does not depend on it.
 */
export type DiskNaming = {
  /** True: the name is neither listed nor counted. */
  isLeftOut(name: string): boolean
  /** The directory for which the name is counted instead of listed; can be the name itself. */
  folderOf(name: string): string | undefined
  /** Lower ranks are listed first if there are too many names. */
  rankOf(name: string): number
}

/**
 * At most 1000 names each, relative to the root of the disk; the counts include all names except those in `folders`.
 */
export type DiskChanges = {
  /** Nothing differs, not even the mode of a directory or the time of a change that was undone. */
  isSame: boolean
  removed: string[]
  changed: string[]
  added: string[]
  removedCount: number
  changedCount: number
  addedCount: number
  /** Sizes of the names above, without directories: before and now. */
  sizes: DiskFileSize[]
  /** Directories for which only the number of differing files is listed, at most 1000. */
  folders: DiskFolderChanges[]
}

export type DiskFolderChanges = { name: string; removedCount: number; changedCount: number; addedCount: number }

export type DiskFileSize = {
  name: string
  /** Null: it did not exist. */
  bytesBefore: number | null
  /** Null: it does not exist. */
  bytesNow: number | null
}

/** The directory for the saved memory of the sandbox on this disk. */
export type MemoryImageDirectory = { diskId: string; imageId: string; path: string }

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
  /** Space used by saved memory. */
  memoryBytes: number
  imageBytes: number
  /** All disks with their snapshots, and the file system’s own tables; undefined where the kernel doesn’t show them. */
  disksBytes: number | undefined
  tableBytes: number | undefined
}
