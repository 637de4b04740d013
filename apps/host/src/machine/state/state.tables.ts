import type { BootEndCause } from '@threadbox/protocol/host'

/** Tables of the host's own state. Times are ms since epoch; egress and ends are JSON. */
export type StateTables = {
  sandboxes: SandboxesTable
  boots: BootsTable
  spares: SparesTable
  memory_images: MemoryImagesTable
  pause_points: PausePointsTable
  snapshots: SnapshotsTable
  snapshot_memories: SnapshotMemoriesTable
  forks: ForksTable
  rewinds: RewindsTable
  facts: { name: string; value: string }
  virtual_names: VirtualNamesTable
}

/** `isListed`: some policy had exactly this name, not only a wildcard. `usedAt`: within a day. */
export type VirtualNamesTable = { address: string; name: string; isListed: 0 | 1; usedAt: number }

export type SandboxesTable = {
  sandboxId: string
  /**
   * The id under which disk, network and files are stored: the sandbox's own, or that of the spare it was made from.
   */
  placeId: string
  /** The output of `hostname` inside, from the first boot on. */
  hostname: string | null
  imageId: string
  memoryBytes: number
  cpus: number
  processes: number
  diskBytes: number
  egress: string
  /** The sandbox's own, also while nothing runs. Changes with a rewind that restores memory. */
  address: string
  createdAt: number
  /** Key with which the manifest of a pause hashes values, unless the order names another one. */
  manifestKey: string | null
  /** 1 once its deletion was ordered: a crash does not undo it, the next start finishes it. */
  isDeleting: 0 | 1
  /** 1 while its disk is kept outside: what is here of the disk is a rest of it, or incomplete. */
  isArchived: 0 | 1
}

export type BootsTable = {
  bootId: string
  sandboxId: string
  /** The driver's id for it: its own, or the one that the spare was booted under. */
  driverBootId: string
  /**
   * `starting`: not reported yet, so a crash undoes it. `paused`: its memory is in an image, and perhaps frozen in RAM.
   * `waking`, `demoting`: continues from one of these, to serve, or to be rescued and ended.
   */
  state: 'starting' | 'ready' | 'paused' | 'waking' | 'demoting' | 'ended'
  startedAt: number
  hostname: string
  guestDirectory: string
  /** Guards the guest of this boot. Leaves this file only as a header to that guest. Cleared at the end. */
  accessToken: string
  /** The disk was lost before this boot and was restored to this moment; null if it is the previous boot's disk. */
  diskRestoredFrom: number | null
  endedAt: number | null
  endCause: BootEndCause | null
  endDetail: string | null
}

/** Booted sandboxes that wait for new threads. A starting daemon removes those of its predecessor. */
export type SparesTable = { placeId: string; address: string; imageId: string; createdAt: number }

/**
 * The saved memory of a sandbox's boot: at most one for each sandbox. The row exists before the files and after them.
 */
export type MemoryImagesTable = {
  sandboxId: string
  /** Names its directory in the pool. */
  imageId: string
  bootId: string
  /**
   * `saving`: incomplete and unusable. `ready`: can be used, once. `consumed`: the boot from it runs, or ran; it is
   * never used again.
   */
  phase: 'saving' | 'ready' | 'consumed'
  driverVersion: string
  /** The disk's content: the memory fits nothing else. Null while saving. */
  diskGeneration: string | null
  bytes: number
  /** Why no manifest is beside the image; empty if one is. */
  manifestProblem: string
  stallMs: number
  durationMs: number
  createdAt: number
}

/** The disk's content at the last pause or demotion, as a snapshot of the disk. */
export type PausePointsTable = { sandboxId: string; snapshotId: string; at: number }

/** A snapshot of a sandbox's disk that its server requested. The row exists before the files and after them. */
export type SnapshotsTable = {
  snapshotId: string
  sandboxId: string
  /** `making`: not reported yet, so a crash undoes it. `removing`: its deletion was ordered, and will be finished. */
  phase: 'making' | 'ready' | 'removing'
  at: number
  /** Bytes written since the previous snapshot, before compression. */
  writtenBytes: number
}

/**
 * The memory that fits a snapshot, in a directory under its id. The row exists before the files and after them, and has
 * what a boot that continues from it needs.
 */
export type SnapshotMemoriesTable = {
  snapshotId: string
  sandboxId: string
  /**
   * `saving`: incomplete, and the boot may be frozen for it. `ready`: can be used any number of times. `removing`: can
   * no longer be used.
   */
  phase: 'saving' | 'ready' | 'removing'
  /** The boot that it is made from. */
  driverBootId: string
  guestDirectory: string
  /** The token that its guest expects in the first handshake. */
  accessToken: string
  bytes: number
}

/** A fork that is being made: a crash undoes it, and lets its source continue. */
export type ForksTable = { sandboxId: string; sourceDriverBootId: string | null }

/** The last rewind of a sandbox. `begun`: it will be finished, whatever happens. */
export type RewindsTable = {
  sandboxId: string
  /** Names the rewind: the previous content of the disk was to be kept under this id. */
  keepId: string
  /** The snapshot that has that content. */
  keptId: string
  /** The snapshot that the disk gets; null: its image. */
  targetId: string | null
  /** The boot that continues from the snapshot's memory; null: none was requested. */
  bootId: string | null
  /** Why existing memory could not be used; empty if it was, or if none existed. */
  problem: string
  phase: 'begun' | 'done'
}
