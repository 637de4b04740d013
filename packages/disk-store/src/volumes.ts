import type { DiskChanges, DiskNaming } from './disk-store.ts'

/**
 * What a {@link DiskStore} needs from a file system technology. A *volume* is one directory tree that can be copied in
 * no time, frozen and removed as a whole. Paths are given by the caller and lie below {@link Volumes.root}.
 */
export type Volumes = {
  /** Where volumes live. Exists after {@link Volumes.prepare}. */
  root: string
  /** Makes the root usable. Called again: finds everything as it should be and changes nothing. */
  prepare(): Promise<void>
  /** Called once the store has removed half-made volumes: drops limits of volumes that are gone. */
  reclaim(): Promise<void>
  close(): Promise<void>
  createEmpty(path: string): Promise<void>
  /** Makes the volume read-only, durably. */
  freeze(path: string): Promise<void>
  /** Makes a writable copy that is limited from its first byte on. */
  copy(options: { from: string; to: string; limitBytes: number }): Promise<void>
  /** Removes a volume, durably, and its limit. Nothing happens when it is gone or is no volume. */
  remove(path: string): Promise<void>
  setLimit(options: { path: string; limitBytes: number }): Promise<void>
  usage(path: string): Promise<{ usedBytes: number; limitBytes: number }>
  /** Returns when everything written to this volume, and the volume's existence and name, would survive a power loss. */
  sync(path: string): Promise<void>
  /** Changes with every write; the volume was synced before. */
  generation(path: string): Promise<string>
  /**
   * False: nothing was written to the volume since the frozen copy was made of it. The volume was synced before; no file
   * is looked at where that can be avoided.
   */
  mayDiffer(options: { path: string; from: string }): Promise<boolean>
  /** Bytes of files, before compression, that a volume has and an earlier copy of the same volume had not. */
  writtenBytes(options: { path: string; since: string }): Promise<number>
  /**
   * Makes a frozen copy that counts into the limit of its origin. Throws `disk.snapshots-unsupported`,
   * `disk.no-room-for-snapshot`.
   */
  snapshot(options: { from: string; to: string }): Promise<void>
  /**
   * What differs between two frozen volumes, at a cost that grows with what differs. Undefined: it cannot be told in this
   * way, and both are to be read. Neither may be removed meanwhile. Where copies are slow there is no such way.
   */
  compareFrozen:
    | ((options: {
        before: string
        after: string
        naming?: DiskNaming | undefined
      }) => Promise<DiskChanges | undefined>)
    | undefined
  /** Makes a writable copy of a snapshot, under the limit of `of`, which it is to replace. */
  copyBack(options: { from: string; to: string; of: string }): Promise<void>
  /** Removes a frozen or writable copy that shares the limit of another volume; the limit stays. Gone: does nothing. */
  removeCopy(path: string): Promise<void>
  /** Makes a directory, outside of every volume's limit, for files that are large, written once and read once. */
  makeImageDirectory(path: string): Promise<void>
  /** Whether a copied file keeps its inode number and time of change, so that these tell whether it is the same one. */
  keepsInodes: boolean
  space(): Promise<VolumeSpace>
}

/** Available is what new data may take; imageBytes what frozen volumes hold together. */
export type VolumeSpace = { totalBytes: number; availableBytes: number; imageBytes: number }
