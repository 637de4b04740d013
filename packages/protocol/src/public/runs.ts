import { z } from 'zod'
import { jsonSchema } from './entries.ts'
import { nameSchema } from './names.ts'
import { networkPolicySchema } from './network.ts'
import { usageSchema } from './thread.ts'

/** Longest task of a run, in UTF-16 code units. */
export const maxRunInputCharacters = 50_000
/** Limit of schedules, and of webhooks, per agent. */
export const maxTriggersPerAgent = 50
/** The largest number of runs whose threads an agent can be set to keep; without a number it keeps all. */
export const maxKeptRuns = 1000

/**
 * `queued`: waits for its turn. `running`: its thread is being created, or works. `skipped`: never started, the reason
 * says why. The last four are final.
 */
export const runStatuses = ['queued', 'running', 'succeeded', 'failed', 'skipped', 'cancelled'] as const
export type RunStatus = (typeof runStatuses)[number]

export const runTriggers = ['manual', 'api', 'schedule', 'webhook'] as const
export type RunTrigger = (typeof runTriggers)[number]

/** Why a run did not succeed. `details` has the values for the message in other languages. */
export const runReasonSchema = z
  .object({
    code: z.string(),
    message: z.string(),
    remedy: z.string(),
    details: z.record(z.string(), jsonSchema),
  })
  .meta({ id: 'RunReason' })
export type RunReason = z.infer<typeof runReasonSchema>

/** An unattended run of an agent: a thread that was started with one message. */
export const runSchema = z
  .object({
    id: z.string(),
    agentId: z.string(),
    agentVersion: z.number().int(),
    trigger: z.enum(runTriggers),
    /** The schedule or webhook that started it, which might no longer exist; null if a person or a program did. */
    triggerId: z.string().nullable(),
    /** For a scheduled run: its due time. */
    dueAt: z.number().int().nullable(),
    /** Number of earlier due times that were missed and that this run also covers. */
    missed: z.number().int(),
    title: z.string(),
    input: z.string(),
    status: z.enum(runStatuses),
    reason: runReasonSchema.nullable(),
    /** Null until it exists, and after it was deleted. */
    threadId: z.string().nullable(),
    /** When its thread was deleted because the agent keeps those of its newest runs only; otherwise null. */
    threadRemovedAt: z.number().int().nullable(),
    createdAt: z.number().int(),
    startedAt: z.number().int().nullable(),
    endedAt: z.number().int().nullable(),
    usage: usageSchema.nullable(),
    /** The last response, or what a command printed; only the last 16,000 characters are kept. */
    output: z.string().nullable(),
  })
  .meta({ id: 'Run' })
export type Run = z.infer<typeof runSchema>

/** `GET /agents/{id}/runs`: newest first. `kept` says for how long, and how many per agent, ended runs are listed. */
export const runPageSchema = z
  .object({
    runs: z.array(runSchema),
    next: z.string().nullable(),
    kept: z.object({ days: z.number().int(), runs: z.number().int() }),
  })
  .meta({ id: 'RunPage' })
export type RunPage = z.infer<typeof runPageSchema>

/** `GET /runs/latest`: for each of the user’s agents, the newest run and when a schedule is next due. */
export const latestRunsSchema = z
  .object({
    agents: z.array(
      z.object({
        agentId: z.string(),
        last: runSchema.pick({ id: true, status: true, createdAt: true }).nullable(),
        nextDueAt: z.number().int().nullable(),
      }),
    ),
  })
  .meta({ id: 'LatestRuns' })
export type LatestRuns = z.infer<typeof latestRunsSchema>

const keepSchema = z.number().int().min(1).max(maxKeptRuns)

/** `PUT /agents/{id}/kept-runs`: for how many of its newest ended runs an agent keeps the threads; null: for all. */
export const keepRunsSchema = z.strictObject({ keep: keepSchema.nullable() })
export type KeepRuns = z.infer<typeof keepRunsSchema>

/**
 * `GET /agents/{id}/kept-runs`: how many are kept, and which threads would be deleted now with that value, or with the
 * one in the query.
 */
export const keptRunsSchema = z
  .object({
    keep: keepSchema.nullable(),
    removing: z.object({
      count: z.number().int(),
      /** The runs of the first few of these threads, in the order in which they ended. */
      first: z.array(runSchema.pick({ id: true, title: true, createdAt: true })),
    }),
  })
  .meta({ id: 'KeptRuns' })
export type KeptRuns = z.infer<typeof keptRunsSchema>

const inputSchema = z.string().trim().min(1).max(maxRunInputCharacters)
const versionSchema = z.number().int().min(1).max(1_000_000)

export const startRunSchema = z.strictObject({
  input: inputSchema,
  /** Without it: the current version. */
  version: versionSchema.optional(),
  /** The same key sent twice is one run: makes a retry after a lost response safe. */
  key: z.string().min(8).max(64).optional(),
  /** Narrows what the run’s sandbox reaches. Null or missing: as the agent allows. */
  network: networkPolicySchema.nullable().optional(),
})
export type StartRun = z.infer<typeof startRunSchema>

/** What happens at a due time while an earlier run of the schedule has not ended. */
export const overlapPolicies = ['skip', 'queue', 'allow'] as const
/** What happens for due times at which the server was down: nothing, or one run for all of them. */
export const missedPolicies = ['skip', 'once'] as const

/** Narrows what the sandboxes of its runs reach. Null: as the agent allows. */
const triggerNetwork = networkPolicySchema.nullable()

const scheduleFields = {
  name: nameSchema,
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  cron: z.string().trim().min(9).max(200),
  /** An IANA name such as `Europe/Berlin`. */
  timeZone: z.string().min(1).max(64),
  input: inputSchema,
  /** Null: the version that is current when it runs. */
  version: versionSchema.nullable(),
  overlap: z.enum(overlapPolicies),
  missed: z.enum(missedPolicies),
  isEnabled: z.boolean(),
  network: triggerNetwork,
}

export const scheduleSchema = z
  .object({
    id: z.string(),
    agentId: z.string(),
    ...scheduleFields,
    cron: z.string(),
    /** The next due times, earliest first; empty if it is off. */
    next: z.array(z.number().int()),
    createdAt: z.number().int(),
  })
  .meta({ id: 'Schedule' })
export type Schedule = z.infer<typeof scheduleSchema>

export const schedulesSchema = z.object({ schedules: z.array(scheduleSchema) }).meta({ id: 'Schedules' })
export type Schedules = z.infer<typeof schedulesSchema>

export const createScheduleSchema = z.strictObject({
  ...scheduleFields,
  version: scheduleFields.version.optional(),
  overlap: scheduleFields.overlap.default('skip'),
  missed: scheduleFields.missed.default('skip'),
  isEnabled: z.boolean().default(true),
  network: triggerNetwork.default(null),
})
export type CreateSchedule = z.input<typeof createScheduleSchema>

export const updateScheduleSchema = z.strictObject(scheduleFields).partial()
export type UpdateSchedule = z.infer<typeof updateScheduleSchema>

/** `GET /schedules/next`: due times of a schedule that is being edited. */
export const nextTimesSchema = z.object({ next: z.array(z.number().int()) }).meta({ id: 'NextTimes' })
export type NextTimes = z.infer<typeof nextTimesSchema>

const webhookFields = {
  name: nameSchema,
  /** Precedes the request’s content in the message to the agent. It can’t be a slash command. */
  input: inputSchema.refine((text) => !text.startsWith('/'), 'cannot be a slash command'),
  version: versionSchema.nullable(),
  isEnabled: z.boolean(),
  network: triggerNetwork,
}

/** An address at which a signed request starts a run. */
export const webhookSchema = z
  .object({
    id: z.string(),
    agentId: z.string(),
    name: z.string(),
    input: z.string(),
    version: z.number().int().nullable(),
    isEnabled: z.boolean(),
    network: triggerNetwork,
    url: z.string(),
    createdAt: z.number().int(),
    /** When a request to it was last accepted. */
    lastUsedAt: z.number().int().nullable(),
  })
  .meta({ id: 'Webhook' })
export type Webhook = z.infer<typeof webhookSchema>

export const webhooksSchema = z.object({ webhooks: z.array(webhookSchema) }).meta({ id: 'Webhooks' })
export type Webhooks = z.infer<typeof webhooksSchema>

export const createWebhookSchema = z.strictObject({
  name: webhookFields.name,
  input: webhookFields.input,
  version: webhookFields.version.optional(),
  network: triggerNetwork.default(null),
})
export type CreateWebhook = z.input<typeof createWebhookSchema>

export const updateWebhookSchema = z.strictObject(webhookFields).partial()
export type UpdateWebhook = z.infer<typeof updateWebhookSchema>

/** The only response that contains the secret. */
export const createdWebhookSchema = webhookSchema.extend({ secret: z.string() }).meta({ id: 'CreatedWebhook' })
export type CreatedWebhook = z.infer<typeof createdWebhookSchema>
