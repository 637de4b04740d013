import { z } from 'zod'
import { sandboxViewSchema } from './sandbox.ts'

/** What a thread began as a copy of. The other thread may have changed since, or be gone. */
export const forkedFromSchema = z
  .object({
    /** Empty: a thread of somebody else, copied by a link. */
    threadId: z.string(),
    /** The last answer that it has of that thread, by its id there; null when there was none. */
    turnId: z.string().nullable(),
    at: z.number().int(),
    /** `memory`: everything that ran went on in both. `disk`: files only. `none`: there was no computer yet. */
    from: z.enum(['memory', 'disk', 'none']),
    /** How many answers it began with. */
    turns: z.number().int(),
  })
  .meta({ id: 'ForkedFrom' })
export type ForkedFrom = z.infer<typeof forkedFromSchema>

/** The agent that a thread was started from, by the name that it had then. The agent may be gone. */
export const startedFromSchema = z
  .object({ agentId: z.string(), name: z.string(), version: z.number().int() })
  .meta({ id: 'StartedFrom' })
export type StartedFrom = z.infer<typeof startedFromSchema>

export const threadSchema = z
  .object({
    id: z.string(),
    title: z.string(),
    /** `automatic` titles may still be replaced by the model; a person's never. */
    titleSource: z.enum(['none', 'automatic', 'person']),
    createdAt: z.number().int(),
    updatedAt: z.number().int(),
    isPinned: z.boolean(),
    /** Set while the thread can still be brought back; after that it is gone. */
    deletedAt: z.number().int().nullable(),
    /** Null: direct mode, or the installation's default model once one is connected. */
    modelId: z.string().nullable(),
    /** Null: in no workspace. */
    workspaceId: z.string().nullable().default(null),
    isTurnRunning: z.boolean(),
    hasUnread: z.boolean(),
    forkedFrom: forkedFromSchema.nullable().optional(),
    startedFrom: startedFromSchema.nullable().optional(),
    sandbox: sandboxViewSchema,
  })
  .meta({ id: 'Thread' })
export type Thread = z.infer<typeof threadSchema>

export const usageSchema = z
  .object({
    inputTokens: z.number().int(),
    outputTokens: z.number().int(),
    cachedInputTokens: z.number().int(),
    /** Null when the price of the model is not known. */
    costUsd: z.number().nullable(),
  })
  .meta({ id: 'Usage' })

/** Why a turn failed, as a state the person can act on. `retryAt` (ms since epoch) is set for rate limits. */
export const turnFailureSchema = z
  .object({
    code: z.enum([
      'rate-limited',
      'wrong-key',
      'overloaded',
      'context-full',
      'refused',
      'network',
      'limit-steps',
      'limit-time',
      'limit-tokens',
      'limit-spend',
      'sandbox',
      'internal',
    ]),
    message: z.string(),
    remedy: z.string(),
    retryAt: z.number().int().nullable(),
    actions: z.array(z.enum(['retry', 'continue', 'switch-model', 'open-settings'])),
  })
  .meta({ id: 'TurnFailure' })
export type TurnFailure = z.infer<typeof turnFailureSchema>

export const turnSchema = z
  .object({
    id: z.string(),
    mode: z.enum(['agent', 'direct']),
    status: z.enum(['running', 'finished', 'stopped', 'failed']),
    modelId: z.string().nullable(),
    modelName: z.string().nullable(),
    startedAt: z.number().int(),
    endedAt: z.number().int().nullable(),
    usage: usageSchema.nullable(),
    failure: turnFailureSchema.nullable(),
    /** Commands that go on in the sandbox after a stop, by name, so that the app can offer to end them. */
    stillRunning: z.array(z.string()),
  })
  .meta({ id: 'Turn' })
export type Turn = z.infer<typeof turnSchema>
