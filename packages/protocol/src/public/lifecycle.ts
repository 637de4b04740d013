import { z } from 'zod'
import { sandboxLimitsSchema, sandboxViewSchema } from './sandbox.ts'
import { survivalFacts, survivalGroups, survivalReasons } from './survival-codes.ts'

function coded<Code extends string>(codes: Record<Code, readonly string[]>) {
  return z.object({
    code: z.enum(Object.keys(codes) as Code[]),
    params: z.record(z.string(), z.union([z.string(), z.number()])),
  })
}

/** The kinds of things that a survival report covers. */
export const survivalKinds = [
  'process',
  'service',
  'port',
  'connection',
  'variable',
  'shell',
  'environment',
  'package',
  'file',
  'open-file',
] as const

export const survivalItemSchema = z
  .object({
    kind: z.enum(survivalKinds),
    /** Command line, variable name, `tcp 127.0.0.1:8000`, path … as a person would search for it. */
    name: z.string(),
    /**
     * `kept`: checked before and after, the same. `rescued`: saved to disk before memory was discarded, and restored.
     * `restarted`: the same command runs again. `lost`: checked and missing, or not equal. `unchecked`: could not be
     * checked; `reason` says why.
     */
    outcome: z.enum(['kept', 'rescued', 'restarted', 'lost', 'unchecked']),
    /** Plain sentence; empty for `kept`. */
    reason: z.string(),
    /** Type of a variable, PID of a process, size: details by which to recognize it. */
    detail: z.string(),
    /**
     * `reason`, `name` and `detail` in codes (see `survivalReasons`, `survivalGroups` and `survivalFacts`), if the text
     * is not a program’s own. Older reports have none.
     */
    because: coded(survivalReasons).nullish(),
    standsFor: coded(survivalGroups).nullish(),
    facts: coded(survivalFacts).nullish(),
    /** For an ended process that can be restarted with one click: id for the `start` route. */
    restartId: z.string().nullable(),
  })
  .meta({ id: 'SurvivalItem' })
export type SurvivalItem = z.infer<typeof survivalItemSchema>

const outcomeCounts = z.object({
  kept: z.number().int(),
  rescued: z.number().int(),
  restarted: z.number().int(),
  lost: z.number().int(),
  unchecked: z.number().int(),
})

/**
 * What survived a pause: the manifest before it compared with a second one afterwards. One per wake, stored
 * permanently.
 */
export const survivalReportSchema = z
  .object({
    id: z.string(),
    threadId: z.string(),
    /**
     * `frozen`: from RAM. `memory`: from the memory image. `disk`: cold. `snapshot`: an older disk. `new`: replaced.
     */
    from: z.enum(['frozen', 'memory', 'disk', 'snapshot', 'new']),
    /** Why memory (or the disk) was not used (see `wakeCauses`) and what was measured; null where it was used. */
    cause: z.object({ code: z.string(), detail: z.string() }).nullable(),
    pausedAt: z.number().int().nullable(),
    wokenAt: z.number().int(),
    /** From the wake request until a command could run. */
    wakeMs: z.number(),
    /** `checking`: the sandbox works already, the second check is in progress. */
    status: z.enum(['checking', 'complete']),
    /** When the second check began: nothing that happened later is in the report. Null before it. */
    checkedAt: z.number().int().nullable().default(null),
    counts: z.partialRecord(z.enum(survivalKinds), outcomeCounts),
    /** Lost, unchecked, rescued and restarted ones first; at most 500 kept ones. `counts` cover all. */
    items: z.array(survivalItemSchema),
  })
  .meta({ id: 'SurvivalReport' })
export type SurvivalReport = z.infer<typeof survivalReportSchema>

/**
 * When the sandbox sleeps, what is kept, and how many services can run. `null`: never. A thread can have its own
 * values.
 */
export const lifecyclePolicySchema = z
  .object({
    idlePauseMinutes: z.number().int().min(1).max(10_080),
    hotHours: z.number().min(0).max(8760),
    /** `guaranteed`: memory is kept longer while it fits the budget. `strict`: exactly `hotHours`. */
    hotKeep: z.enum(['guaranteed', 'strict']),
    maxAwakeHours: z.number().min(0.1).max(8760),
    retentionDays: z.number().int().min(1).max(36_500).nullable(),
    /** At the same time; with 1 a new service replaces the old one. */
    maxServices: z.number().int().min(1).max(100),
  })
  .meta({ id: 'LifecyclePolicy' })
export type LifecyclePolicy = z.infer<typeof lifecyclePolicySchema>

/** A line of the lifecycle log: see `lifecycleLogCodes`. Newest first in the API. */
export const lifecycleLogEntrySchema = z
  .object({
    id: z.string(),
    at: z.number().int(),
    code: z.string(),
    params: z.record(z.string(), z.union([z.string(), z.number()])),
    reportId: z.string().nullable(),
  })
  .meta({ id: 'LifecycleLogEntry' })
export type LifecycleLogEntry = z.infer<typeof lifecycleLogEntrySchema>

/** `GET /threads/{id}/sandbox`: everything the panel shows. */
export const sandboxDetailSchema = z
  .object({
    sandbox: sandboxViewSchema,
    policy: lifecyclePolicySchema,
    /** Fields of `policy` with the thread’s own value. */
    ownPolicy: z.array(z.string()),
    /** Fields of `policy` from its workspace; all others are the installation’s. */
    workspacePolicy: z.array(z.string()).default([]),
    /** The same for the limits. */
    ownLimits: z.array(z.string()).default([]),
    workspaceLimits: z.array(z.string()).default([]),
    usage: z
      .object({
        memoryBytes: z.number().int().nullable(),
        diskBytes: z.number().int().nullable(),
        memoryImageBytes: z.number().int().nullable(),
      })
      .nullable(),
    /** Of the running sandbox; null while it sleeps. */
    processes: z
      .array(
        z.object({ pid: z.number().int(), commandLine: z.string(), memoryBytes: z.number().int(), role: z.string() }),
      )
      .nullable(),
    ports: z.array(z.number().int()).nullable(),
    latestReport: z.union([survivalReportSchema, z.null()]),
    log: z.array(lifecycleLogEntrySchema),
  })
  .meta({ id: 'SandboxDetail' })
export type SandboxDetail = z.infer<typeof sandboxDetailSchema>

/** New policy values; `null` restores the inherited one. */
export const policyChangeSchema = z.strictObject({
  idlePauseMinutes: lifecyclePolicySchema.shape.idlePauseMinutes.nullable().optional(),
  hotHours: lifecyclePolicySchema.shape.hotHours.nullable().optional(),
  hotKeep: lifecyclePolicySchema.shape.hotKeep.nullable().optional(),
  maxAwakeHours: lifecyclePolicySchema.shape.maxAwakeHours.nullable().optional(),
  /** 0: never, even if the inherited value has a limit. */
  retentionDays: z.number().int().min(0).max(36_500).nullable().optional(),
  maxServices: lifecyclePolicySchema.shape.maxServices.nullable().optional(),
})
export type PolicyChange = z.infer<typeof policyChangeSchema>

/** New limits; `null` restores the inherited one. */
export const limitsChangeSchema = z.strictObject({
  memoryBytes: sandboxLimitsSchema.shape.memoryBytes.nullable().optional(),
  cpus: sandboxLimitsSchema.shape.cpus.nullable().optional(),
  processes: sandboxLimitsSchema.shape.processes.nullable().optional(),
  diskBytes: sandboxLimitsSchema.shape.diskBytes.nullable().optional(),
})

/** `PATCH /threads/{id}/sandbox`: `null` in policy and limits restores the inherited value. Limits change live. */
export const changeSandboxDetailSchema = z.strictObject({
  policy: policyChangeSchema.optional(),
  limits: limitsChangeSchema.optional(),
})
export type ChangeSandboxDetail = z.infer<typeof changeSandboxDetailSchema>

/**
 * `POST /threads/{id}/sandbox/hold`: keep awake until this time (ms since epoch, at most 7 days ahead); null ends it.
 */
export const holdSandboxSchema = z.strictObject({ until: z.number().int().min(0).nullable() })
export type HoldSandbox = z.infer<typeof holdSandboxSchema>

/**
 * `POST /threads/{id}/sandbox/{pause|wake|restart|archive|restore}` returns {@link sandboxDetailSchema}. Pausing during a turn is
 * rejected with `sandbox.turn-running`. `GET /threads/{id}/sandbox/reports/{reportId}` returns {@link
 * survivalReportSchema}. `POST /threads/{id}/sandbox/rescued/{restartId}/start` restarts an ended process.
 */
export const sandboxActions = ['pause', 'wake', 'restart', 'archive', 'restore'] as const
export type SandboxAction = (typeof sandboxActions)[number]
