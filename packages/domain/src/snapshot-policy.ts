/** What snapshots may take. Bytes are what was written between them, before compression. */
export type SnapshotLimits = { perThread: number; bytesPerThread: number; bytes: number }

export type KeptSnapshot = { id: string; threadId: string; writtenBytes: number }

/**
 * A disk of which so much is used keeps no snapshot: what is deleted on it must make room at once, and what a turn writes
 * must have some left. People's files come first.
 */
const fullShare = 0.75

/**
 * Which snapshots have to go: the oldest first, until what is left is within the limits. The newest of a thread stays,
 * because what it has is, but for little, what the disk has; with `perThread: 0`, and of a disk that is nearly full, none
 * stays.
 */
export function chooseSnapshotRemovals(options: {
  /** Of all threads, oldest first. */
  snapshots: readonly KeptSnapshot[]
  limits: SnapshotLimits
  /** How full the disks of threads are, where that was measured. */
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
    dropOldest(own.filter((one) => !removed.has(one)).slice(0, -1), {
      excessBytes: sumOf(own.filter((one) => !removed.has(one))) - limits.bytesPerThread,
      removed,
    })
  }
  const newest = new Set([...kept.values()].map((own) => own.at(-1)))
  const left = snapshots.filter((one) => !removed.has(one))
  const removable = left.filter((one) => !newest.has(one))
  dropOldest(removable, { excessBytes: sumOf(left) - limits.bytes, removed })
  return snapshots.filter((one) => removed.has(one))
}

/** What memory of earlier moments may take: of each thread the newest so many, and bytes of all threads together. */
export type MemorySnapshotLimits = { perThread: number; bytes: number }

/** One image takes at most this share of all: a single large sandbox does not displace everybody else's. */
const imageShare = 4

export function maxMemorySnapshotBytes({ perThread, bytes }: MemorySnapshotLimits): number {
  return perThread === 0 ? 0 : Math.floor(bytes / imageShare)
}

export type KeptMemory = { id: string; threadId: string; memoryBytes: number }

/** Of which snapshots the memory has to go: the oldest first, until what is left is within the limits. */
export function chooseMemoryRemovals(options: {
  /** Snapshots that have memory, of all threads, oldest first. */
  memories: readonly KeptMemory[]
  limits: MemorySnapshotLimits
}): KeptMemory[] {
  const { memories, limits } = options
  const newer = new Map<string, number>()
  const kept: KeptMemory[] = []
  let keptBytes = 0
  for (const memory of memories.toReversed()) {
    const count = newer.get(memory.threadId) ?? 0
    // What is older than the first that has no room goes too: it would come back colder than what lies between.
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

function dropOldest(
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
