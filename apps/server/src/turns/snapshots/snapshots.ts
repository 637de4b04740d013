import type { Logger } from '@threadbox/telemetry'
import type { Settings } from '../../people/public.ts'
import { type OpenDatabase, tablesOf } from '../../platform/database/database.ts'
import type { Api, OpenThread } from '../../platform/http/api.ts'
import type { System } from '../../platform/system/system.ts'
import {
  type HostClient,
  type RunningStateDependencies,
  readRunningState,
  type Sandbox,
} from '../../sandboxes/public.ts'
import type { ThreadRows } from '../../threads/public.ts'
import type { TurnHistory } from '../record/turn-history.ts'
import { makeMemoryBudget } from './memory-budget.ts'
import { hourlyLimitsIn } from './snapshots.dependencies.ts'
import { snapshotRoutes } from './snapshots.routes.ts'
import { makeSnapshotStore } from './snapshots.store.ts'
import type { SnapshotTables } from './snapshots.table.ts'
import { makeSnapshots, type Snapshots } from './snapshots.usecases.ts'
import { makeTurnMemoryStore } from './turn-memories.store.ts'

export type SnapshotsFeature = { snapshots: Snapshots; routes: Api }

export function makeSnapshotsFeature(ports: {
  open: OpenDatabase
  host: HostClient
  record: Pick<TurnHistory, 'turnIds' | 'turn'>
  threads: { rows: Pick<ThreadRows, 'findAny'>; open: OpenThread }
  sandboxOf: (threadId: string) => Promise<Sandbox | undefined>
  inside: RunningStateDependencies
  settings: Pick<Settings, 'values'>
  /** Notifies the pages of a thread that what is pinned has changed. */
  changed: (threadId: string) => Promise<void>
  /** How long the server waits for a guest's manifest when a turn has ended. */
  manifestTimeoutMs: number | undefined
  system: System
  logger: Logger
}): SnapshotsFeature {
  const { host, record, threads, sandboxOf, inside, settings, manifestTimeoutMs, system, logger } = ports
  const tables = tablesOf<SnapshotTables>(ports.open.database)
  const snapshots = makeSnapshots({
    store: makeSnapshotStore(tables),
    memories: makeTurnMemoryStore(tables),
    budget: makeMemoryBudget({
      database: tables,
      limits: async () => hourlyLimitsIn(await settings.values()),
      now: system.now,
    }),
    host,
    sandboxOf,
    readRunningState: (sandbox, signal) => readRunningState(inside, sandbox, signal),
    record,
    runningTurn: async (threadId) => (await threads.rows.findAny(threadId))?.running_turn_id ?? undefined,
    settings: settings.values,
    manifestTimeoutMs,
    system,
    logger,
  })
  return { snapshots, routes: snapshotRoutes({ snapshots, open: threads.open, changed: ports.changed }) }
}
