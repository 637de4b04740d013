import type { DiskChanges, DiskNaming } from './disk-store.ts'

/**
 * What a {@link DiskStore} needs from a file system technology. A *volume* is one directory tree that can be copied
 * without copying data, frozen and removed as a whole. Callers pass paths below {@link Volumes.root}.
 */
export type Volumes = {
  /** The directory of the volumes. Exists after {@link Volumes.prepare}. */
  root: string
  /** Makes the root usable. Does nothing if it already is. */
  prepare(): Promise<void>
  /** Removes limits of volumes that no longer exist. Called after the store has removed incomplete volumes. */
  reclaim(): Promise<void>
  close(): Promise<void>
  createEmpty(path: string): Promise<void>
  /** Makes the volume read-only, durably. */
  freeze(path: string): Promise<void>
  /** Creates a writable copy that is limited from its first byte on. */
  copy(options: { from: string; to: string; limitBytes: number }): Promise<void>
  /** Removes a volume and its limit, durably. Does nothing if the path does not exist or is not a volume. */
  remove(path: string): Promise<void>
  setLimit(options: { path: string; limitBytes: number }): Promise<void>
  usage(path: string): Promise<{ usedBytes: number; limitBytes: number }>
  /** Returns when everything written to this volume, and the volume's existence and name, would survive a power loss. */
  sync(path: string): Promise<void>
  /**
   * Returns when the volume’s existence and name would survive a power loss, with what was synced. Unlike `sync`, it does not
   * wait until other things in the pool, such as memory that is being saved, are written.
   */
  commit(path: string): Promise<void>
  /**
   * Changes with every write; the caller has synced the volume. A commit is not enough: btrfs notices that a file was overwritten
   * only when the data is written to the disk.
   */
  generation(path: string): Promise<string>
  /**
   * False: nothing was written to the volume since its frozen copy `since` was created. The caller has synced the
   * volume. Reads no file if that can be avoided.
   */
  mayHaveChangedSince(options: { path: string; since: string }): Promise<boolean>
  /** Bytes of files, before compression, that a volume has and an earlier copy of the same volume does not. */
  writtenBytes(options: { path: string; since: string }): Promise<number>
  /**
   * Creates a frozen copy that counts toward the limit of its origin. Throws `disk.snapshots-unsupported`,
   * `disk.no-room-for-snapshot`.
   */
  snapshot(options: { from: string; to: string }): Promise<void>
  /**
   * Returns what differs between two frozen volumes, at a cost that grows with what differs. The caller prevents the
   * removal of both. Result undefined: this way failed, and both must be read. Function undefined: the technology has
   * no such way.
   */
  compareFrozen:
    | ((options: {
        before: string
        after: string
        naming?: DiskNaming | undefined
      }) => Promise<DiskChanges | undefined>)
    | undefined
  /** Creates a writable copy of a snapshot under the limit of `of`, which the caller replaces with it. */
  copyBack(options: { from: string; to: string; of: string }): Promise<void>
  /**
   * Removes a frozen or writable copy that shares the limit of another volume; the limit stays. Does nothing if it does
   * not exist.
   */
  removeKeepingLimit(path: string): Promise<void>
  /** Creates a directory for memory images: outside of every volume’s limit, for large files that are read once. */
  makeMemoryDirectory(path: string): Promise<void>
  /** Whether a copied file keeps its inode number and change time, so that these identify it. */
  keepsInodes: boolean
  space(): Promise<VolumeSpace>
  /**
   * Sets the limit of all volumes together so that they leave this much free, whatever they write. What no limit counts
   * shows only in the free space, so the caller repeats it.
   */
  keepFree(bytes: number): Promise<void>
}

/**
 * `availableBytes`: space for new data; `imageBytes`: what all frozen images hold together; `disksRoomBytes`: what all
 * disks together can still write, infinite where nothing limits them together. `disksBytes`: what they hold; `tableBytes`: what
 * the file system’s own tables take; both undefined where the kernel doesn’t show them.
 */
export type VolumeSpace = {
  totalBytes: number
  availableBytes: number
  imageBytes: number
  disksRoomBytes: number
  disksBytes?: number | undefined
  tableBytes?: number | undefined
}
