import { type MemorySnapshotLimits, maxPinsPerThread, type SnapshotLimits } from '@threadbox/domain'
import type { HostSnapshots } from '@threadbox/protocol/host'
import type { Snapshot, ThreadSnapshots } from '@threadbox/protocol/public'
import type { SnapshotRow, TurnSnapshotRow } from './snapshots.table.ts'

/** Presents a thread's snapshots, one item per turn, newest first. `snapshots` contains those of all threads. */
export function presentSnapshots(known: {
  threadId: string
  turns: readonly TurnSnapshotRow[]
  snapshots: readonly SnapshotRow[]
  /** The thread's current sandbox. Snapshots of a previous one were deleted with it. */
  sandboxId: string | undefined
  /** The host's report; undefined when the host didn't respond. */
  disk: HostSnapshots | undefined
  limits: SnapshotLimits
  memoryLimits: MemorySnapshotLimits
}): ThreadSnapshots {
  const { threadId, turns, snapshots, disk, limits, memoryLimits } = known
  const present = disk && new Set(disk.snapshots.map(({ snapshotId }) => snapshotId))
  const isKeptOnHost = (row: SnapshotRow) =>
    row.thread_id === threadId && row.sandbox_id === known.sandboxId && present?.has(row.id) !== false
  const own = new Map(snapshots.filter(isKeptOnHost).map((row) => [row.id, row]))
  const seen = new Set<string>()
  const lines = turns.map((turn): Snapshot => {
    const { turn_id: turnId, at, state, snapshot_id: snapshotId, problem } = turn
    const nothing = { id: null, writtenBytes: 0, memoryBytes: null, memoryProblem: null, isPinned: false }
    const isPinned = turn.pinned_at !== null
    if (state === 'wanted') return { ...nothing, turnId, at, state, problem, isPinned }
    if (state !== 'taken') return { ...nothing, turnId, at, state, problem }
    const snapshot = own.get(snapshotId)
    if (snapshot === undefined) return { ...nothing, turnId, at, state: 'removed', problem: null }
    const writtenBytes = seen.has(snapshotId) ? 0 : snapshot.written_bytes
    seen.add(snapshotId)
    const { memory_bytes: memoryBytes } = snapshot
    const memoryProblem = memoryBytes === null ? turn.memory_problem : null
    const kept = { id: snapshotId, turnId, at, state: 'kept', problem: null } as const
    return { ...kept, writtenBytes, memoryBytes, memoryProblem, isPinned }
  })
  return {
    snapshots: lines.toReversed(),
    usage: {
      count: own.size,
      writtenBytes: sumOf([...own.values()]),
      diskUsedBytes: disk?.usedBytes ?? null,
      diskLimitBytes: disk?.limitBytes ?? null,
      installationCount: snapshots.length,
      installationWrittenBytes: sumOf(snapshots),
      memoryCount: [...own.values()].filter(({ memory_bytes }) => memory_bytes !== null).length,
      memoryBytes: memoryOf([...own.values()]),
      installationMemoryBytes: memoryOf(snapshots),
    },
    limits: {
      ...limits,
      memoryPerThread: memoryLimits.perThread,
      memoryBytes: memoryLimits.bytes,
      pinsPerThread: maxPinsPerThread,
    },
  }
}

function sumOf(snapshots: readonly SnapshotRow[]): number {
  return snapshots.reduce((sum, row) => sum + row.written_bytes, 0)
}

function memoryOf(snapshots: readonly SnapshotRow[]): number {
  return snapshots.reduce((sum, row) => sum + (row.memory_bytes ?? 0), 0)
}
