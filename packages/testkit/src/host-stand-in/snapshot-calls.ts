import type {
  HostApi,
  HostSnapshot,
  NamesAsked,
  SnapshotChanges,
  SnapshotMemoryOrder,
  SnapshotMemoryProblem,
} from '@threadbox/protocol/host'
import { known, type SandboxesStandIn } from './sandbox-calls.ts'

/** Snapshots as on a host, without disks. */
export type SnapshotsStandIn = {
  /** By sandbox, oldest first. */
  bySandbox: Map<string, HostSnapshot[]>
  /** Whether something was written before the next snapshot, and how much. */
  isDiskChanged: boolean
  writtenBytes: number
  usedBytes: number
  /** The size of requested memory; null: none can be saved, and `memoryProblem` is the reason. */
  memoryBytes: number | null
  memoryProblem: SnapshotMemoryProblem
  /** The memory options of each order. */
  memoryOrders: (SnapshotMemoryOrder | undefined)[]
  /** Why existing memory cannot be used; empty: it can. */
  rewindProblem: string
  /** The rewinds of disks in order. */
  rewinds: { sandboxId: string; snapshotId: string | null }[]
  /** The differences that every comparison with a snapshot returns. */
  changes: SnapshotChanges
  /** The lookups returned for any start time. */
  namesAsked: NamesAsked
}

export function makeSnapshotsStandIn(): SnapshotsStandIn {
  return {
    bySandbox: new Map(),
    rewinds: [],
    rewindProblem: '',
    memoryBytes: null,
    memoryProblem: 'not-awake',
    memoryOrders: [],
    namesAsked: { knownSince: null, names: [], refused: [] },
    changes: { files: [], removedCount: 0, changedCount: 0, addedCount: 0, folders: [] },
    isDiskChanged: true,
    writtenBytes: 10,
    usedBytes: 1000,
  }
}

type Host = SandboxesStandIn & { snapshots: SnapshotsStandIn }
type SnapshotCalls = Pick<
  HostApi,
  'takeSnapshot' | 'snapshots' | 'removeSnapshot' | 'removeSnapshotMemory' | 'snapshotChanges' | 'rewind' | 'namesAsked'
>

export function snapshotCalls(host: Host): SnapshotCalls {
  const { snapshots } = host
  const presentOf = (sandboxId: string) => snapshots.bySandbox.get(sandboxId) ?? []
  const figuresOf = (sandboxId: string) => {
    const { limits } = known(host, sandboxId)
    return { usedBytes: snapshots.usedBytes, limitBytes: limits.diskBytes }
  }
  return {
    takeSnapshot: async (sandboxId, { snapshotId, memory, sharesMemory = true }) => {
      const figures = figuresOf(sandboxId)
      const present = presentOf(sandboxId)
      const found = present.find((one) => one.snapshotId === snapshotId)
      const memoryBytes = memory === null ? null : snapshots.memoryBytes
      const memoryProblem = memory === null || memoryBytes !== null ? null : snapshots.memoryProblem
      const newest = present.at(-1)
      const mayShare = memory === null && sharesMemory ? true : newest?.memoryBytes === null
      const last = snapshots.isDiskChanged || memoryBytes !== null || !mayShare ? undefined : newest
      const made = { snapshotId, at: Date.now(), writtenBytes: snapshots.writtenBytes, memoryBytes }
      const snapshot = found ?? last ?? made
      if (!present.includes(snapshot)) snapshots.bySandbox.set(sandboxId, [...present, snapshot])
      return {
        snapshot,
        isNew: snapshot.snapshotId === snapshotId,
        memoryProblem,
        stallMs: 0,
        durationMs: 1,
        ...figures,
      }
    },
    snapshots: async (sandboxId) => {
      const figures = figuresOf(sandboxId)
      return { snapshots: presentOf(sandboxId), ...figures }
    },
    removeSnapshot: async (sandboxId, snapshotId) => {
      known(host, sandboxId)
      const left = presentOf(sandboxId).filter((one) => one.snapshotId !== snapshotId)
      snapshots.bySandbox.set(sandboxId, left)
    },
    removeSnapshotMemory: async (sandboxId, snapshotId) => {
      known(host, sandboxId)
      const left = presentOf(sandboxId).map((one) =>
        one.snapshotId === snapshotId ? { ...one, memoryBytes: null } : one,
      )
      snapshots.bySandbox.set(sandboxId, left)
    },
    snapshotChanges: async (sandboxId) => {
      known(host, sandboxId)
      return snapshots.changes
    },
    namesAsked: async (sandboxId) => {
      known(host, sandboxId)
      return snapshots.namesAsked
    },
    rewind: async (sandboxId, order) => {
      known(host, sandboxId)
      return rewind(host, { sandboxId, ...order })
    },
  }
}

/** Rewinds as a host does: keeps the current disk, ends the boot, and resumes earlier memory if there is any. */
function rewind(
  host: Host,
  order: Parameters<HostApi['rewind']>[1] & { sandboxId: string },
): Awaited<ReturnType<HostApi['rewind']>> {
  const { sandboxId, snapshotId, keepId, memory, bootId } = order
  const { snapshots } = host
  const present = snapshots.bySandbox.get(sandboxId) ?? []
  const found = present.find((one) => one.snapshotId === keepId)
  const memoryBytes = memory && snapshots.memoryBytes
  const kept = found ?? { snapshotId: keepId, at: Date.now(), writtenBytes: 1, memoryBytes }
  if (found === undefined) {
    snapshots.bySandbox.set(sandboxId, [...present, kept])
    snapshots.rewinds.push({ sandboxId, snapshotId })
  }
  const target = present.find((one) => one.snapshotId === snapshotId)
  const resumes = bootId !== null && target != null && target.memoryBytes !== null && snapshots.rewindProblem === ''
  if (known(host, sandboxId).bootId !== bootId) host.endBoot(sandboxId, 'stopped')
  const ended = known(host, sandboxId)
  if (resumes) host.sandboxes.set(sandboxId, { ...ended, actual: 'ready', bootId })
  const from = resumes ? 'memory' : 'disk'
  return { sandbox: known(host, sandboxId), kept, from, problem: snapshots.rewindProblem }
}
