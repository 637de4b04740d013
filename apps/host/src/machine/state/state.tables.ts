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
}

export type SandboxesTable = {
  sandboxId: string
  /** Under which disk, network and files are kept: its own id, or that of the spare it was made from. */
  placeId: string
  /** What `hostname` says inside, from the first boot on. */
  hostname: string | null
  imageId: string
  memoryBytes: number
  cpus: number
  processes: number
  diskBytes: number
  egress: string
  /** The sandbox's own, also while nothing runs. Another one after a rewind that brought memory back. */
  address: string
  createdAt: number
  /** With which the manifest of a pause hashes values, if whoever orders the pause says nothing else. */
  manifestKey: string | null
  /** 1 once its deletion was ordered: it is finished after a crash, never undone. */
  isDeleting: 0 | 1
}

export type BootsTable = {
  bootId: string
  sandboxId: string
  /** Under which the driver knows it: its own id, or the one that the spare was booted under. */
  driverBootId: string
  /**
   * `starting`: nobody was told of it yet, so a crash undoes it. `paused`: its memory is in an image, and perhaps frozen
   * in RAM. `waking`, `demoting`: out of the one or the other it goes on, to serve or to be rescued and ended.
   */
  state: 'starting' | 'ready' | 'paused' | 'waking' | 'demoting' | 'ended'
  startedAt: number
  hostname: string
  guestDirectory: string
  /** Guards the guest of this boot. Leaves this file only as a header to that guest. Emptied at the end. */
  accessToken: string
  /** The disk was lost before this boot and is what it was at this moment; null when it is the one of the boot before. */
  diskRestoredFrom: number | null
  endedAt: number | null
  endCause: BootEndCause | null
  endDetail: string | null
}

/** Sandboxes that wait for somebody to want one. A daemon that starts removes those of its predecessor. */
export type SparesTable = { placeId: string; address: string; imageId: string; createdAt: number }

/** The saved memory of a sandbox's boot: at most one for each sandbox. The row is there before the files and after. */
export type MemoryImagesTable = {
  sandboxId: string
  /** Names its place in the pool. */
  imageId: string
  bootId: string
  /**
   * `saving`: half made, worth nothing. `ready`: may be used, once. `consumed`: what came out of it runs, or ran; it is
   * never used again.
   */
  phase: 'saving' | 'ready' | 'consumed'
  driverVersion: string
  /** What the disk contained: the memory fits nothing else. Null while saving. */
  diskGeneration: string | null
  bytes: number
  /** Why there is no manifest beside the image; empty when there is one. */
  manifestProblem: string
  stallMs: number
  durationMs: number
  createdAt: number
}

/** The disk's content at the last pause or demotion, as a snapshot of the disk. */
export type PausePointsTable = { sandboxId: string; snapshotId: string; at: number }

/** A snapshot of a sandbox's disk that its server asked for. The row is there before the files and after. */
export type SnapshotsTable = {
  snapshotId: string
  sandboxId: string
  /** `making`: nobody was told of it yet, so a crash undoes it. `removing`: its deletion was ordered, and is finished. */
  phase: 'making' | 'ready' | 'removing'
  at: number
  /** What was written since the snapshot before it, before compression. */
  writtenBytes: number
}

/**
 * The memory that fits a snapshot, in a place under its id. The row is there before the files and after, and has what a
 * boot that goes on out of it needs.
 */
export type SnapshotMemoriesTable = {
  snapshotId: string
  sandboxId: string
  /**
   * `saving`: half made, and the boot may stand still for it. `ready`: may be used, as often as somebody likes.
   * `removing`: not any more.
   */
  phase: 'saving' | 'ready' | 'removing'
  /** What it is made of. */
  driverBootId: string
  guestDirectory: string
  /** What the guest in it expects of who speaks to it first. */
  accessToken: string
  bytes: number
}

/** A fork that is being made: a crash undoes it, and lets the sandbox go on that it is made from. */
export type ForksTable = { sandboxId: string; sourceDriverBootId: string | null }

/** The last rewind of a sandbox. `begun`: it is finished, whatever happens. */
export type RewindsTable = {
  sandboxId: string
  /** Names the rewind: under this id what the disk contained was to be kept. */
  keepId: string
  /** The snapshot that has it. */
  keptId: string
  /** What the disk gets back; null: its image. */
  targetId: string | null
  /** The boot that goes on out of the memory of then; null: none was wanted. */
  bootId: string | null
  /** Why memory that there was could not be used; empty when it was, or there was none. */
  problem: string
  phase: 'begun' | 'done'
}
