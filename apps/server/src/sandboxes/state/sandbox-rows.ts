import type { LifecyclePolicy, SandboxLimits } from '@threadbox/domain'
import type { SurvivalReport, WakeCause } from '@threadbox/protocol/public'
import { z } from 'zod'
import type { SandboxRow } from './sandboxes.table.ts'

/** A sandbox that nobody has used yet. */
export function newSandboxRow(options: {
  id: string
  threadId: string
  now: number
  limits: SandboxLimits
}): SandboxRow {
  const nothing = { boot_id: null, detail_code: null, detail_json: null, awake_since: null, held_until: null }
  return {
    ...nothing,
    ...memoryGone,
    ...noOwnPolicy,
    ...limitColumns(options.limits),
    id: options.id,
    thread_id: options.threadId,
    state: 'fresh',
    since: options.now,
    created_at: options.now,
    used_at: options.now,
    has_run: 0,
    limit_announced: 0,
    own_limits_json: null,
    pause_cause: null,
    cause_json: null,
    wake_json: null,
    retention_announced_at: null,
  }
}

const noOwnPolicy = {
  idle_pause_minutes: null,
  hot_hours: null,
  hot_keep: null,
  max_awake_hours: null,
  retention_days: null,
  max_services: null,
}

/** Columns of a sandbox without saved memory. */
export const memoryGone = { paused_at: null, is_frozen: 0, image_bytes: null }

/** Limits as they are recorded. */
export function limitColumns(limits: SandboxLimits) {
  return {
    memory_bytes: limits.memoryBytes,
    cpus: limits.cpus,
    processes: limits.processes,
    disk_bytes: limits.diskBytes,
  }
}

export function limitsOf(row: Pick<SandboxRow, 'memory_bytes' | 'cpus' | 'processes' | 'disk_bytes'>): SandboxLimits {
  return { memoryBytes: row.memory_bytes, cpus: row.cpus, processes: row.processes, diskBytes: row.disk_bytes }
}

/** The limits that a sandbox is to have: its own where it has some, else what its thread inherits. */
export function wantedLimits(row: SandboxRow, inherited: SandboxLimits): SandboxLimits {
  return { ...inherited, ...ownLimitsOf(row) }
}

export function ownLimitsOf(row: SandboxRow): Partial<SandboxLimits> {
  return row.own_limits_json === null ? {} : (JSON.parse(row.own_limits_json) as Partial<SandboxLimits>)
}

/** The policy that counts for a sandbox, and which fields of it are its own. */
export function policyOf(
  row: SandboxRow | undefined,
  inherited: LifecyclePolicy,
): { policy: LifecyclePolicy; own: (keyof LifecyclePolicy)[] } {
  if (row === undefined) return { policy: inherited, own: [] }
  const days = row.retention_days
  const values: { [Name in keyof LifecyclePolicy]: LifecyclePolicy[Name] | undefined } = {
    idlePauseMinutes: row.idle_pause_minutes ?? undefined,
    hotHours: row.hot_hours ?? undefined,
    hotKeep: (row.hot_keep as LifecyclePolicy['hotKeep'] | null) ?? undefined,
    maxAwakeHours: row.max_awake_hours ?? undefined,
    retentionDays: days === null ? undefined : days === 0 ? null : days,
    maxServices: row.max_services ?? undefined,
  }
  const own = (Object.keys(values) as (keyof LifecyclePolicy)[]).filter((name) => values[name] !== undefined)
  return { policy: { ...inherited, ...Object.fromEntries(own.map((name) => [name, values[name]])) }, own }
}

/** Why a start is not a wake out of memory. */
export type StartCause = { code: WakeCause; detail: string; pausedAt: number | null }

export function causeOf(row: SandboxRow): StartCause | null {
  return row.cause_json === null ? null : (JSON.parse(row.cause_json) as StartCause)
}

/** A wake as it is recorded together with the new state, until its report is written. */
export type WakeFacts = {
  reportId: string
  entryId: string
  bootId: string
  from: SurvivalReport['from']
  cause: SurvivalReport['cause']
  pausedAt: number | null
  wokenAt: number
  wakeMs: number
}

const wakeFactsSchema = z.object({
  reportId: z.string(),
  entryId: z.string(),
  bootId: z.string(),
  from: z.enum(['frozen', 'memory', 'disk', 'snapshot', 'new']),
  cause: z.object({ code: z.string(), detail: z.string() }).nullable(),
  pausedAt: z.number().nullable(),
  wokenAt: z.number(),
  wakeMs: z.number(),
})

export function wakeFactsOf(json: string): WakeFacts {
  return wakeFactsSchema.parse(JSON.parse(json))
}

/** What `hostname` says inside: short, the same at each start, different in each sandbox. */
export function hostnameOf(sandboxId: string): string {
  return `threadbox-${sandboxId.slice(1, 9)}`
}
