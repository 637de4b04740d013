import { type MemorySnapshotLimits, maxMemorySnapshotBytes, type SnapshotLimits } from '@threadbox/domain'
import type { Manifest } from '@threadbox/protocol/guest'
import type { SnapshotMemoryOrder } from '@threadbox/protocol/host'
import type { Logger } from '@threadbox/telemetry'
import type { SettingValues } from '../../people/public.ts'
import type { System } from '../../platform/system/system.ts'
import type { HostClient, Sandbox } from '../../sandboxes/public.ts'
import type { TurnHistory } from '../record/turn-history.ts'
import type { HourlyLimits } from './memory-budget.logic.ts'
import type { MemoryBudget } from './memory-budget.ts'
import type { SnapshotStore } from './snapshots.store.ts'
import type { TurnMemoryStore } from './turn-memories.store.ts'

export type SnapshotsDependencies = {
  store: SnapshotStore
  memories: TurnMemoryStore
  budget: MemoryBudget
  host: Pick<HostClient, 'takeSnapshot' | 'snapshots' | 'removeSnapshot' | 'removeSnapshotMemory'>
  sandboxOf: (threadId: string) => Promise<Sandbox | undefined>
  /** `turnIds` are the turns in the conversation, without those that were undone. */
  record: Pick<TurnHistory, 'turnIds' | 'turn'>
  /** What runs in a sandbox now; null when that isn't known in time. */
  readRunningState: (sandbox: Sandbox, signal: AbortSignal) => Promise<Manifest | null>
  /** The id of the turn that is running. */
  runningTurn: (threadId: string) => Promise<string | undefined>
  settings: () => Promise<SettingValues>
  /** How long the server waits for a guest's manifest. */
  manifestTimeoutMs?: number | undefined
  system: System
  logger: Logger
}

export type SnapshotOrder = { snapshotId: string; memory: SnapshotMemoryOrder; sharesMemory: boolean; ifFree?: boolean }

const MiB = 1024 * 1024

export function hourlyLimitsIn(values: SettingValues): HourlyLimits {
  return {
    threadBytes: values.memorySnapshotMebibytesPerThreadHour * MiB,
    bytes: values.memorySnapshotMebibytesPerHour * MiB,
  }
}

/** What the settings say about snapshots. */
export function snapshotsIn(values: SettingValues): SnapshotLimits & {
  memory: MemorySnapshotLimits & { order: SnapshotMemoryOrder; quietMs: number }
} {
  const memory = { perThread: values.memorySnapshotsPerThread, bytes: values.memorySnapshotMebibytes * MiB }
  return {
    perThread: values.snapshotsPerThread,
    bytesPerThread: values.snapshotMebibytesPerThread * MiB,
    bytes: values.snapshotMebibytes * MiB,
    memory: {
      ...memory,
      order: memory.perThread === 0 ? null : { maxBytes: maxMemorySnapshotBytes(memory) },
      quietMs: values.memorySnapshotQuietSeconds * 1000,
    },
  }
}
