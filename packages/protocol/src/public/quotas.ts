import { z } from 'zod'

/** What one person can use up. `modelMicroUsdPerMonth`: millionths of a USD for requests to models. */
export const quotaNameSchema = z
  .enum(['modelMicroUsdPerMonth', 'awakeSandboxes', 'concurrentRuns', 'sandboxes', 'diskBytes', 'apiRequestsPerSecond'])
  .meta({ id: 'QuotaName' })
export type QuotaName = z.infer<typeof quotaNameSchema>

/** Null: no limit. */
const limitSchema = z.number().int().min(0).max(1_000_000_000_000_000).nullable()
const limits = {
  modelMicroUsdPerMonth: limitSchema,
  awakeSandboxes: limitSchema,
  concurrentRuns: limitSchema,
  sandboxes: limitSchema,
  diskBytes: limitSchema,
  apiRequestsPerSecond: limitSchema,
}
/** Programs that were written before these limits existed don’t send them. */
const addedLimits = {
  sandboxes: limitSchema.default(null),
  diskBytes: limitSchema.default(null),
  apiRequestsPerSecond: limitSchema.default(null),
}
export const quotaLimitsSchema = z.object(limits).meta({ id: 'QuotaLimits' })
export type QuotaLimits = z.infer<typeof quotaLimitsSchema>

/** What a person has used of one quota. */
export const quotaStateSchema = z
  .object({
    quota: quotaNameSchema,
    used: z.number().int(),
    /** The lower of what is assigned and the person’s own. Null: no limit. */
    limit: z.number().int().nullable(),
    /** What the owner and admins allow. */
    assigned: z.number().int().nullable(),
    /** The person’s own, lower limit. */
    own: z.number().int().nullable(),
    /** When it starts again. Null: it never does. */
    resetsAt: z.number().int().nullable(),
    /** What uses most of it, where that is known. Only in `GET /quotas`. */
    largest: z.object({ threadId: z.string(), title: z.string(), used: z.number().int() }).nullable().optional(),
  })
  .meta({ id: 'QuotaState' })
export type QuotaState = z.infer<typeof quotaStateSchema>

/** A person asks for more. */
export const quotaRequestSchema = z
  .object({
    id: z.string(),
    userId: z.string(),
    quota: quotaNameSchema,
    note: z.string(),
    createdAt: z.number().int(),
  })
  .meta({ id: 'QuotaRequest' })
export type QuotaRequest = z.infer<typeof quotaRequestSchema>
export const quotaRequestsSchema = z.object({ requests: z.array(quotaRequestSchema) }).meta({ id: 'QuotaRequests' })
export type QuotaRequests = z.infer<typeof quotaRequestsSchema>

/** `GET /quotas`. */
export const quotasSchema = z
  .object({ quotas: z.array(quotaStateSchema), requests: z.array(quotaRequestSchema) })
  .meta({ id: 'Quotas' })
export type Quotas = z.infer<typeof quotasSchema>

const someLimits = z.strictObject(limits).partial()
/** `PATCH /quotas`: the person’s own limits. Null removes one. */
export const updateOwnQuotasSchema = someLimits
export type UpdateOwnQuotas = z.input<typeof updateOwnQuotasSchema>

export const askForMoreSchema = z.strictObject({ quota: quotaNameSchema, note: z.string().trim().max(500).default('') })
export type AskForMore = z.input<typeof askForMoreSchema>

/** `POST /quota-requests/{id}/decision`. Without a limit, the request is refused. */
export const decideQuotaRequestSchema = z.strictObject({
  /** Null: no limit. */
  limit: limitSchema.optional(),
  /** Omitted: for ever. */
  until: z.number().int().min(0).max(8_640_000_000_000_000).optional(),
})
export type DecideQuotaRequest = z.input<typeof decideQuotaRequestSchema>

/** A named set of limits. */
export const quotaPresetSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    limits: quotaLimitsSchema,
    /** Members without another preset have it. */
    isDefault: z.boolean(),
  })
  .meta({ id: 'QuotaPreset' })
export type QuotaPreset = z.infer<typeof quotaPresetSchema>
export const quotaPresetsSchema = z.object({ presets: z.array(quotaPresetSchema) }).meta({ id: 'QuotaPresets' })
export type QuotaPresets = z.infer<typeof quotaPresetsSchema>

const presetName = z.string().trim().min(1).max(80)
export const createQuotaPresetSchema = z.strictObject({
  name: presetName,
  limits: z.strictObject({ ...limits, ...addedLimits }),
})
export type CreateQuotaPreset = z.input<typeof createQuotaPresetSchema>
export const updateQuotaPresetSchema = z.strictObject({ name: presetName.optional(), limits: someLimits.optional() })
export type UpdateQuotaPreset = z.input<typeof updateQuotaPresetSchema>

/** `GET /people/{id}/quotas`, for the owner and admins. */
export const personQuotasSchema = z
  .object({
    /** Null: the default of the person’s role. */
    presetId: z.string().nullable(),
    /** Limits that replace those of the preset. */
    assigned: z.object(limits).partial(),
    quotas: z.array(quotaStateSchema),
  })
  .meta({ id: 'PersonQuotas' })
export type PersonQuotas = z.infer<typeof personQuotasSchema>

/** `PATCH /people/{id}/quotas`: only what is given changes. `assigned` is replaced as a whole. */
export const updatePersonQuotasSchema = z.strictObject({
  presetId: z.string().min(1).max(64).nullable().optional(),
  assigned: someLimits.optional(),
})
export type UpdatePersonQuotas = z.input<typeof updatePersonQuotasSchema>
