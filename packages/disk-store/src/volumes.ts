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
  space(): Promise<VolumeSpace>
}

/** Available is what new data may take; imageBytes what frozen volumes hold together. */
export type VolumeSpace = { totalBytes: number; availableBytes: number; imageBytes: number }
