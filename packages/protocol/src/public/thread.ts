import { z } from 'zod'
import { sandboxViewSchema } from './sandbox.ts'
import { workspaceActionSchema } from './workspace-roles.ts'

/** What a thread began as a copy of. The other thread might have changed since, or no longer exist. */
export const forkedFromSchema = z
  .object({
    /** Empty: another user’s thread, copied through a link. */
    threadId: z.string(),
    /** Id of the last turn copied from that thread; null if there was none. */
    turnId: z.string().nullable(),
    at: z.number().int(),
    /** `memory`: everything that ran continued in both. `disk`: files only. `none`: there was no sandbox yet. */
    from: z.enum(['memory', 'disk', 'none']),
    /** Number of turns it began with. */
    turns: z.number().int(),
  })
  .meta({ id: 'ForkedFrom' })
export type ForkedFrom = z.infer<typeof forkedFromSchema>

/** The agent that a thread was started from, by its name at that time. The agent might no longer exist. */
export const startedFromSchema = z
  .object({ agentId: z.string(), name: z.string(), version: z.number().int() })
  .meta({ id: 'StartedFrom' })
export type StartedFrom = z.infer<typeof startedFromSchema>

export const threadSchema = z
  .object({
    id: z.string(),
    title: z.string(),
    /** `automatic` titles can still be replaced by the model; a person’s never. */
    titleSource: z.enum(['none', 'automatic', 'person']),
    createdAt: z.number().int(),
    updatedAt: z.number().int(),
    isPinned: z.boolean(),
    /** Set while the thread can still be restored; afterwards it is gone. */
    deletedAt: z.number().int().nullable(),
    /** Null: direct mode, or the installation’s default model once one is connected. */
    modelId: z.string().nullable(),
    /** Null: in no workspace. */
    workspaceId: z.string().nullable().default(null),
    /** Who created it. */
    creatorId: z.string(),
    /** In a workspace, only its creator sees it. */
    isPrivate: z.boolean(),
    /** Other people could work in it before: its creator’s own secrets, Git credentials and connections stay unusable until they allow them again. */
    isPersonalOff: z.boolean(),
    /** What this person’s role allows. */
    allowed: z.array(workspaceActionSchema),
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
    /** Null if the price of the model is not known. */
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
    /** Commands that keep running in the sandbox after a stop, by name, so that the app can offer to end them. */
    stillRunning: z.array(z.string()),
  })
  .meta({ id: 'Turn' })
export type Turn = z.infer<typeof turnSchema>
