/** Limits of snapshots. Bytes are what was written between them, before compression. */
export type SnapshotLimits = { perThread: number; bytesPerThread: number; bytes: number }

export type KeptSnapshot = { id: string; threadId: string; writtenBytes: number }

/** How many turns of a thread a person can pin: each can have an image of its own for as long as the thread exists. */
export const maxPinsPerThread = 5

/**
 * Pinned snapshots of all threads can use this share of each byte limit before another is pinned. One image more is at
 * most a quarter, so the rest is enough for the largest one of another thread.
 */
const pinnedShare = 0.5

/** Whether pinned snapshots leave room for another one within the limits for all threads. */
export function canPinMore(
  pinned: { writtenBytes: number; memoryBytes: number },
  limits: { bytes: number; memoryBytes: number },
): boolean {
  return pinned.writtenBytes <= limits.bytes * pinnedShare && pinned.memoryBytes <= limits.memoryBytes * pinnedShare
}

/**
 * A disk this full keeps no snapshots: deleting files on it must free space immediately, and a turn needs free space to
 * write. Users’ files come first.
 */
const fullShare = 0.75

/**
 * Chooses the snapshots to remove: the oldest first, until the rest is within the limits. The newest of a thread stays,
 * because its content is almost that of the disk; with `perThread: 0`, and for an almost full disk, none stays. Pinned
 * ones always stay: they count in bytes, not in number.
 */
export function chooseSnapshotRemovals(options: {
  /** The snapshots of all threads, oldest first. */
  snapshots: readonly KeptSnapshot[]
  limits: SnapshotLimits
  /** How full the disks of threads are, if measured. */
  diskShares?: ReadonlyMap<string, number>
  pinnedIds?: ReadonlySet<string>
}): KeptSnapshot[] {
  const { snapshots, limits, diskShares, pinnedIds } = options
  const isLoose = ({ id }: KeptSnapshot) => pinnedIds?.has(id) !== true
  const kept = new Map<string, KeptSnapshot[]>()
  for (const snapshot of snapshots) {
    kept.set(snapshot.threadId, [...(kept.get(snapshot.threadId) ?? []), snapshot])
  }
  const removed = new Set<KeptSnapshot>()
  for (const [threadId, own] of kept) {
    const isFull = (diskShares?.get(threadId) ?? 0) >= fullShare
    const most = isFull ? 0 : limits.perThread
    const loose = own.filter(isLoose)
    for (const snapshot of loose.slice(0, Math.max(0, loose.length - most))) removed.add(snapshot)
    const left = own.filter((one) => !removed.has(one))
    removeOldest(left.slice(0, -1).filter(isLoose), { excessBytes: sumOf(left) - limits.bytesPerThread, removed })
  }
  const newest = new Set([...kept.values()].map((own) => own.at(-1)))
  const left = snapshots.filter((one) => !removed.has(one))
  const removable = left.filter((one) => !newest.has(one) && isLoose(one))
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

/**
 * Chooses the snapshots whose memory is removed: the oldest first, until the rest is within the limits. That of pinned
 * ones always stays: it counts in bytes, not in number.
 */
export function chooseMemoryRemovals(options: {
  /** Snapshots with memory, of all threads, oldest first. */
  memories: readonly KeptMemory[]
  limits: MemorySnapshotLimits
  pinnedIds?: ReadonlySet<string>
}): KeptMemory[] {
  const { memories, limits, pinnedIds } = options
  const newer = new Map<string, number>()
  const kept = memories.filter(({ id }) => pinnedIds?.has(id) === true)
  let keptBytes = kept.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0)
  for (const memory of memories.filter((one) => !kept.includes(one)).toReversed()) {
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
