/** Limits of snapshots. Bytes are what was written between them, before compression. */
export type SnapshotLimits = { perThread: number; bytesPerThread: number; bytes: number }

export type KeptSnapshot = { id: string; threadId: string; writtenBytes: number }

/**
 * A disk this full keeps no snapshots: deleting files on it must free space immediately, and a turn needs free space to
 * write. Users’ files come first.
 */
const fullShare = 0.75

/**
 * Chooses the snapshots to remove: the oldest first, until the rest is within the limits. The newest of a thread stays,
 * because its content is almost that of the disk; with `perThread: 0`, and for an almost full disk, none stays.
 */
export function chooseSnapshotRemovals(options: {
  /** The snapshots of all threads, oldest first. */
  snapshots: readonly KeptSnapshot[]
  limits: SnapshotLimits
  /** How full the disks of threads are, if measured. */
  diskShares?: ReadonlyMap<string, number>
}): KeptSnapshot[] {
  const { snapshots, limits, diskShares } = options
  const kept = new Map<string, KeptSnapshot[]>()
  for (const snapshot of snapshots) {
    kept.set(snapshot.threadId, [...(kept.get(snapshot.threadId) ?? []), snapshot])
  }
  const removed = new Set<KeptSnapshot>()
  for (const [threadId, own] of kept) {
    const isFull = (diskShares?.get(threadId) ?? 0) >= fullShare
    const most = isFull ? 0 : limits.perThread
    for (const snapshot of own.slice(0, Math.max(0, own.length - most))) removed.add(snapshot)
    removeOldest(own.filter((one) => !removed.has(one)).slice(0, -1), {
      excessBytes: sumOf(own.filter((one) => !removed.has(one))) - limits.bytesPerThread,
      removed,
    })
  }
  const newest = new Set([...kept.values()].map((own) => own.at(-1)))
  const left = snapshots.filter((one) => !removed.has(one))
  const removable = left.filter((one) => !newest.has(one))
  removeOldest(removable, { excessBytes: sumOf(left) - limits.bytes, removed })
  return snapshots.filter((one) => removed.has(one))
}

/** Limits of memory in snapshots: the number of newest ones per thread, and the bytes of all threads together. */
export type MemorySnapshotLimits = { perThread: number; bytes: number }

/** One image can use at most a quarter of all: a single large sandbox does not displace all others. */
const imageShare = 4

export function maxMemorySnapshotBytes({ perThread, bytes }: MemorySnapshotLimits): number {
  return perThread === 0 ? 0 : Math.floor(bytes / imageShare)
}

export type KeptMemory = { id: string; threadId: string; memoryBytes: number }

/** Chooses the snapshots whose memory is removed: the oldest first, until the rest is within the limits. */
export function chooseMemoryRemovals(options: {
  /** Snapshots with memory, of all threads, oldest first. */
  memories: readonly KeptMemory[]
  limits: MemorySnapshotLimits
}): KeptMemory[] {
  const { memories, limits } = options
  const newer = new Map<string, number>()
  const kept: KeptMemory[] = []
  let keptBytes = 0
  for (const memory of memories.toReversed()) {
    const count = newer.get(memory.threadId) ?? 0
    // All memory older than the first that does not fit is removed too: otherwise an older snapshot would have memory
    // while newer ones do not.
    if (count >= limits.perThread || keptBytes + memory.memoryBytes > limits.bytes) {
      newer.set(memory.threadId, limits.perThread)
      continue
    }
    newer.set(memory.threadId, count + 1)
    keptBytes += memory.memoryBytes
    kept.push(memory)
  }
  return memories.filter((memory) => !kept.includes(memory))
}

function removeOldest(
  removable: readonly KeptSnapshot[],
  { excessBytes, removed }: { excessBytes: number; removed: Set<KeptSnapshot> },
): void {
  let excess = excessBytes
  for (const snapshot of removable) {
    if (excess <= 0) return
    removed.add(snapshot)
    excess -= snapshot.writtenBytes
  }
}

function sumOf(snapshots: readonly KeptSnapshot[]): number {
  return snapshots.reduce((sum, { writtenBytes }) => sum + writtenBytes, 0)
}
