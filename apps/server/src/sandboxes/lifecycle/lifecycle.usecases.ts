import { makeKeyedLock } from '@threadbox/concurrency'
import { decideAwake } from '@threadbox/domain'
import type {
  ChangeSandboxDetail,
  LifecycleLogEntry,
  SandboxDetail,
  SandboxView,
  SurvivalReport,
} from '@threadbox/protocol/public'
import { type Audit, auditChange } from '../../people/public.ts'
import type { System } from '../../platform/system/system.ts'
import { type ReadDefaults, threadNotFound } from '../../threads/public.ts'
import type { HostClient } from '../host/host-client.ts'
import { makeRow } from '../state/make-row.ts'
import { endedEvent, type Sandbox } from '../state/sandbox.logic.ts'
import { ownLimitsOf, policyOf } from '../state/sandbox-rows.ts'
import { sandboxNotAwake, sandboxTurnRunning } from '../state/sandboxes.errors.ts'
import { awakeFactsOf } from '../state/sandboxes.presenter.ts'
import type { SandboxStore, SettableValues } from '../state/sandboxes.store.ts'
import type { StateFeature } from '../state/state.ts'
import type { ArchiveActions } from './archive-actions.ts'
import type { GuestQuestions } from './guest-manifest.ts'
import { holdTooFar, reportNotFound, rescuedNotFound } from './lifecycle.errors.ts'
import type { LifecycleStore } from './lifecycle.store.ts'
import type { LifecycleLogRow } from './lifecycle.table.ts'
import { ownSettingsOf } from './own-settings.logic.ts'
import { readInside } from './sandbox-inside.ts'
import type { SurvivalReports } from './survival-reports.ts'

/** What a person can do with a thread’s sandbox. The caller has checked the person’s access. */
export type Lifecycle = ArchiveActions & {
  detail(threadId: string): Promise<SandboxDetail>
  change(by: { userId: string; threadId: string }, request: ChangeSandboxDetail): Promise<SandboxDetail>
  /** Throws `sandbox.turn-running`, `sandbox.not-awake`. Does nothing if the sandbox is already paused. */
  pause(threadId: string, cause?: 'person' | 'administrator'): Promise<void>
  /** Ends every process now, also during a turn. Files are kept. Throws `sandbox.not-awake`. */
  stop(threadId: string): Promise<void>
  wake(threadId: string): Promise<void>
  /** Ends every process and boots again from the same disk. Throws `sandbox.turn-running`. */
  restart(threadId: string): Promise<void>
  hold(threadId: string, until: number | null): Promise<void>
  report(threadId: string, reportId: string): Promise<SurvivalReport>
  startRescued(threadId: string, restartId: string): Promise<void>
  /** Figures for `/status`: measured ones only. */
  status(threadId: string): Promise<Record<string, string | number>>
}

export type LifecycleDependencies = {
  lifecycleStore: LifecycleStore
  store: SandboxStore
  state: Pick<StateFeature, 'sandboxes' | 'pausing' | 'transition' | 'applyLimits' | 'context' | 'views'>
  host: HostClient
  guest: GuestQuestions
  reports: SurvivalReports
  defaults: ReadDefaults
  announce: (threadId: string) => Promise<void>
  /** Called when a deadline may have come nearer. */
  nudge: () => void
  hashKeyOf: (sandboxId: string) => string
  audit: Audit
  system: System
}

const maxHoldDays = 7
const shownLines = 200

export function makeLifecycle(dependencies: LifecycleDependencies): Omit<Lifecycle, keyof ArchiveActions> {
  const { store, reports, system, lifecycleStore } = dependencies
  const { sandboxes, pausing } = dependencies.state
  const inOrder = makeKeyedLock()
  const rowOf = async (threadId: string) => (await store.find(threadId)) ?? (await makeRow(dependencies, threadId))
  const changed = async (threadId: string) => {
    await dependencies.announce(threadId)
    dependencies.nudge()
  }
  return {
    detail: (threadId) => detail(dependencies, threadId),
    change: async ({ userId, threadId }, request) => {
      // A thread’s own limits are one record: concurrent changes must not undo each other.
      await inOrder(threadId, async () => {
        const before = await rowOf(threadId)
        await changePolicy(dependencies, before, request)
        await changeLimits(dependencies, await rowOf(threadId), request)
        await recordChange(dependencies, { userId, before, after: await rowOf(threadId) })
      })
      await changed(threadId)
      return await detail(dependencies, threadId)
    },
    pause: async (threadId, cause = 'person') => {
      const row = await store.find(threadId)
      if (row?.state !== 'active' && row?.state !== 'pausing' && row?.state !== 'paused') {
        throw sandboxNotAwake({ state: row?.state ?? 'fresh' })
      }
      await pausing.pause(row, { cause })
    },
    stop: (threadId) => stop(dependencies, threadId),
    wake: async (threadId) => {
      await sandboxes.awake(threadId, { reason: 'api' })
    },
    restart: (threadId) => restart(dependencies, threadId),
    hold: async (threadId, until) => {
      const latest = system.now() + maxHoldDays * 24 * 3_600_000
      if (until !== null && (until <= system.now() || until > latest)) throw holdTooFar({ days: maxHoldDays })
      const row = await rowOf(threadId)
      const columns = { held_until: until, ...(until === null ? {} : { limit_announced: 0 }) }
      await store.set(row.id, columns)
      await reports.record(threadId, until === null ? { code: 'hold-ended' } : { code: 'held', params: { until } })
      await changed(threadId)
    },
    report: async (threadId, reportId) => {
      const row = await lifecycleStore.report(reportId)
      if (row?.thread_id !== threadId) throw reportNotFound({})
      return JSON.parse(row.json) as SurvivalReport
    },
    startRescued: (threadId, restartId) => startRescued(dependencies, threadId, restartId),
    status: (threadId) => status(dependencies, threadId),
  }
}

async function detail(dependencies: LifecycleDependencies, threadId: string): Promise<SandboxDetail> {
  const { store, lifecycleStore } = dependencies
  const row = await store.find(threadId)
  const defaults = (await dependencies.defaults([threadId]))(threadId)
  const { policy, own } = policyOf(row, defaults.policy)
  const ownLimits = row === undefined ? [] : Object.keys(ownLimitsOf(row))
  const latest = await lifecycleStore.latestReport(threadId)
  const lines = await lifecycleStore.lines(threadId, shownLines)
  return {
    sandbox: await viewOf(dependencies, threadId),
    policy,
    ownPolicy: own,
    workspacePolicy: defaults.workspace.policy.filter((name) => !own.includes(name)),
    ownLimits,
    workspaceLimits: defaults.workspace.limits.filter((name) => !ownLimits.includes(name)),
    ...(await readInside(dependencies, row)),
    latestReport: latest === undefined ? null : (JSON.parse(latest.json) as SurvivalReport),
    log: lines.map(presentLine),
  }
}

async function viewOf({ state }: LifecycleDependencies, threadId: string): Promise<SandboxView> {
  return (await state.views([threadId])).get(threadId) as SandboxView
}

function presentLine(row: LifecycleLogRow): LifecycleLogEntry {
  const params = JSON.parse(row.params_json) as LifecycleLogEntry['params']
  return { id: row.id, at: row.at, code: row.code, params, reportId: row.report_id }
}

async function changePolicy(
  dependencies: LifecycleDependencies,
  row: Sandbox,
  { policy }: ChangeSandboxDetail,
): Promise<void> {
  if (policy === undefined) return
  const columns: SettableValues = {
    ...(policy.idlePauseMinutes === undefined ? {} : { idle_pause_minutes: policy.idlePauseMinutes }),
    ...(policy.hotHours === undefined ? {} : { hot_hours: policy.hotHours }),
    ...(policy.hotKeep === undefined ? {} : { hot_keep: policy.hotKeep }),
    ...(policy.maxAwakeHours === undefined ? {} : { max_awake_hours: policy.maxAwakeHours, limit_announced: 0 }),
    // A new time is announced again.
    ...(policy.retentionDays === undefined
      ? {}
      : { retention_days: policy.retentionDays, retention_announced_at: null }),
    ...(policy.maxServices === undefined ? {} : { max_services: policy.maxServices }),
  }
  if (Object.keys(columns).length === 0) return
  await dependencies.store.set(row.id, columns)
  await dependencies.reports.record(row.thread_id, { code: 'policy-changed' })
}

async function changeLimits(
  dependencies: LifecycleDependencies,
  row: Sandbox,
  { limits }: ChangeSandboxDetail,
): Promise<void> {
  if (limits === undefined || Object.keys(limits).length === 0) return
  const own = Object.entries({ ...ownLimitsOf(row), ...limits }).filter(([, value]) => value !== null)
  const ownJson = own.length === 0 ? null : JSON.stringify(Object.fromEntries(own))
  await dependencies.store.set(row.id, { own_limits_json: ownJson })
  await dependencies.state.applyLimits()
  await dependencies.reports.record(row.thread_id, { code: 'limits-changed' })
}

async function recordChange(
  { defaults, audit }: LifecycleDependencies,
  { userId, before, after }: { userId: string; before: Sandbox; after: Sandbox },
): Promise<void> {
  const threadId = after.thread_id
  const { policy } = (await defaults([threadId]))(threadId)
  const change = auditChange(ownSettingsOf(before, policy), ownSettingsOf(after, policy))
  if (Object.keys(change.after ?? {}).length === 0) return
  await audit.record({ userId, action: 'sandbox-changed', subject: threadId, ...change })
}

/**
 * Records the end of the boot first: the start that follows ends it on the host, also after a crash in between, and its
 * end is not taken for an accident.
 */
async function restart(dependencies: LifecycleDependencies, threadId: string): Promise<void> {
  const { store, guest, reports, system } = dependencies
  const { sandboxes, transition } = dependencies.state
  if (sandboxes.isHeld(threadId)) throw sandboxTurnRunning({})
  const startedAt = system.now()
  const { sandboxId, bootId } = await sandboxes.awake(threadId, { reason: 'api' })
  const hashKey = dependencies.hashKeyOf(sandboxId)
  const signal = AbortSignal.timeout(5000)
  const manifest = await guest.manifest({ sandboxId, bootId }, { hashKey, signal }).catch(() => null)
  const row = await store.find(threadId)
  if (row?.boot_id !== bootId) throw threadNotFound({})
  if (sandboxes.isHeld(threadId)) throw sandboxTurnRunning({})
  const manifestJson = manifest === null ? null : JSON.stringify(manifest)
  await transition(row, { type: 'boot-ended', end: { cause: 'restarted', manifestJson } })
  await sandboxes.awake(threadId, { reason: 'api' })
  await reports.record(threadId, { code: 'restarted', params: { durationMs: system.now() - startedAt } })
}

/** The host’s event can be faster; then there is nothing left to record. */
async function stop({ store, host, state }: LifecycleDependencies, threadId: string): Promise<void> {
  const row = await store.find(threadId)
  if (row?.state !== 'active' || row.boot_id === null) throw sandboxNotAwake({ state: row?.state ?? 'fresh' })
  await host.stop(row.id, { bootId: row.boot_id })
  const now = await store.find(threadId)
  if (now?.boot_id === row.boot_id) await state.transition(now, endedEvent(now, await host.get(row.id)))
}

async function startRescued(dependencies: LifecycleDependencies, threadId: string, restartId: string): Promise<void> {
  const { lifecycleStore, guest, reports } = dependencies
  const row = await lifecycleStore.latestReport(threadId)
  const items = row === undefined ? [] : (JSON.parse(row.json) as SurvivalReport).items
  if (row === undefined || !items.some((found) => found.restartId === restartId)) throw rescuedNotFound({})
  const { sandboxId, bootId } = await dependencies.state.sandboxes.awake(threadId, { reason: 'api' })
  await guest.startRescued({ sandboxId, bootId }, restartId)
  await reports.noteRestarted(row, restartId)
}

async function status(dependencies: LifecycleDependencies, threadId: string): Promise<Record<string, string | number>> {
  const row = await dependencies.store.find(threadId)
  const { usage, processes, ports } = await readInside(dependencies, row)
  const view = await viewOf(dependencies, threadId)
  const pauseAt = row?.state === 'active' ? await nextPause(dependencies, row) : null
  const figures = {
    memoryBytes: usage?.memoryBytes,
    diskBytes: usage?.diskBytes,
    processes: processes?.length,
    ports: ports?.join(', '),
    pauseAt,
    memoryUntil: view.asleep?.memoryUntil,
  }
  const measured = Object.entries(figures).filter(([, value]) => value !== undefined && value !== null)
  return { state: view.state, since: view.since, ...(Object.fromEntries(measured) as Record<string, string | number>) }
}

async function nextPause(dependencies: LifecycleDependencies, row: Sandbox): Promise<number | null> {
  const context = await dependencies.state.context()
  return decideAwake(awakeFactsOf(row, context), policyOf(row, context.defaults(row.thread_id).policy).policy).pauseAt
}
