import type { LifecyclePolicy, SandboxLimits, SandboxState } from '@threadbox/domain'
import type { PauseCause } from '@threadbox/protocol/public'
import { z } from 'zod'
import {
  type Intent,
  limitColumns,
  memoryGone,
  type Sandbox,
  type StartCause,
  type WakeFacts,
} from './sandbox.logic.ts'
import type { SandboxRow } from './sandboxes.table.ts'

/** A sandbox that was not used yet. */
export function newSandbox(options: { id: string; threadId: string; now: number; limits: SandboxLimits }): Sandbox {
  const nothing = { boot_id: null, detail: null, awake_since: null, held_until: null }
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
    egress_json: null,
    pause_cause: null,
    cause: null,
    intent: null,
    wake: null,
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

export function limitsOf(row: Pick<SandboxRow, 'memory_bytes' | 'cpus' | 'processes' | 'disk_bytes'>): SandboxLimits {
  return { memoryBytes: row.memory_bytes, cpus: row.cpus, processes: row.processes, diskBytes: row.disk_bytes }
}

/** The limits that a sandbox should have: its own where it has some, else those that its thread inherits. */
export function wantedLimits(row: Sandbox, inherited: SandboxLimits): SandboxLimits {
  return { ...inherited, ...ownLimitsOf(row) }
}

export function ownLimitsOf(row: Sandbox): Partial<SandboxLimits> {
  return row.own_limits_json === null ? {} : (JSON.parse(row.own_limits_json) as Partial<SandboxLimits>)
}

/** The effective policy of a sandbox, and which of its fields are its own. */
export function policyOf(
  row: Sandbox | undefined,
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

const intentSchema: z.ZodType<Intent> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('rewind'), keepId: z.string(), cause: z.enum(['rewound', 'rewind-undone']) }),
  z.object({ kind: z.literal('demote'), reason: z.enum(['time', 'budget']) }),
])

/** Parses a row. */
export function sandboxOf(row: SandboxRow): Sandbox {
  const { detail_code, detail_json, cause_json, intent_json, wake_json, ...columns } = row
  return {
    ...columns,
    state: row.state as SandboxState,
    pause_cause: row.pause_cause as PauseCause | null,
    detail:
      detail_code === null
        ? null
        : { code: detail_code, params: JSON.parse(detail_json ?? '{}') as Record<string, string | number> },
    cause: cause_json === null ? null : (JSON.parse(cause_json) as StartCause),
    intent: intent_json === null ? null : intentSchema.parse(JSON.parse(intent_json)),
    wake: wake_json === null ? null : wakeFactsOf(wake_json),
  }
}

/** The columns of the given values. */
export function columnsOf(values: Sandbox): SandboxRow
export function columnsOf(values: Partial<Sandbox>): Partial<SandboxRow>
export function columnsOf(values: Partial<Sandbox>): Partial<SandboxRow> {
  const { detail, cause, intent, wake, ...columns } = values
  const json = (value: object | null) => (value === null ? null : JSON.stringify(value))
  return {
    ...columns,
    ...(detail !== undefined && { detail_code: detail?.code ?? null, detail_json: json(detail?.params ?? null) }),
    ...(cause !== undefined && { cause_json: json(cause) }),
    ...(intent !== undefined && { intent_json: json(intent) }),
    ...(wake !== undefined && { wake_json: json(wake) }),
  }
}

/** The hostname inside the sandbox: short, the same at each start, different in each sandbox. */
export function hostnameOf(sandboxId: string): string {
  return `threadbox-${sandboxId.slice(1, 9)}`
}
