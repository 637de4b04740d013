import { z } from 'zod'

/** `step` and `run`: a response, of an attended and of an unattended turn. `title`, `compaction`: before or after one. */
export const usageKinds = ['step', 'run', 'title', 'compaction', 'test'] as const
export type UsageKind = (typeof usageKinds)[number]

export const usageGroupings = ['day', 'person', 'workspace', 'thread', 'model', 'kind'] as const
/** Longest period of a report, in days. */
export const maxUsageDays = 400

/** What a report covers. Dates are days in the installation’s time zone, both included. */
export const usageQuerySchema = z.strictObject({
  /** `mine`: the person’s own. `everyone`: owner and admins only. `workspace`: its owners only. */
  of: z.enum(['mine', 'workspace', 'everyone']).default('mine'),
  workspaceId: z.string().min(1).max(64).optional(),
  /** Omitted: the first of this month. */
  from: z.iso.date().optional(),
  /** Omitted: today. */
  to: z.iso.date().optional(),
})
export type UsageQuery = z.input<typeof usageQuerySchema>
export const usageReportQuerySchema = usageQuerySchema.extend({ by: z.enum(usageGroupings).default('day') })
export type UsageReportQuery = z.input<typeof usageReportQuerySchema>

const sums = {
  /** Requests to models. */
  requests: z.number().int(),
  inputTokens: z.number().int(),
  outputTokens: z.number().int(),
  /** Input tokens that the provider read from its cache. They are part of `inputTokens`. */
  cachedInputTokens: z.number().int(),
  /** In millionths of a USD. */
  costMicroUsd: z.number().int(),
  /** Requests to models without a price. They cost nothing here. */
  unpricedRequests: z.number().int(),
  /** Requests whose response was interrupted, so that their cost is estimated. */
  estimatedRequests: z.number().int(),
}

export const usageSumsSchema = z.object(sums).meta({ id: 'UsageSums' })
export type UsageSums = z.infer<typeof usageSumsSchema>

/** Usage of one day, person, workspace, thread, model or kind of request. */
export const usageGroupSchema = z
  .object({
    /** A date, or an id. Null: outside of workspaces, or no thread. */
    key: z.string().nullable(),
    /** Null for dates, kinds, people, and what the person can’t see. */
    name: z.string().nullable(),
    sums: usageSumsSchema,
  })
  .meta({ id: 'UsageGroup' })
export type UsageGroup = z.infer<typeof usageGroupSchema>

export const usageReportSchema = z
  .object({
    timeZone: z.string(),
    from: z.iso.date(),
    to: z.iso.date(),
    total: usageSumsSchema,
    /** Days oldest first, others most expensive first. */
    groups: z.array(usageGroupSchema),
  })
  .meta({ id: 'UsageReport' })
export type UsageReport = z.infer<typeof usageReportSchema>
