import { z } from 'zod'

const amountSchema = z.object({ files: z.number().int(), bytes: z.number().int() })

/** A possible secret in a file, by kind. Never contains the secret. */
const findingSchema = z.object({ path: z.string(), rule: z.string(), count: z.number().int() })

/** What to copy from the sandbox. */
export const captureEnvironmentSchema = z.strictObject({
  /** Includes running programs and memory, unless a secret is found in them. */
  keepMemory: z.boolean().optional(),
})
export type CaptureEnvironment = z.infer<typeof captureEnvironmentSchema>

/**
 * Running programs and memory of a copy. Not kept: `secret-found`: memory contains texts that were removed from the
 * disk, of the kinds in `traces`; `secret-written`: a program wrote such a text during the copy; `too-much-removed`:
 * more was removed than can be searched for; `not-restorable`: the programs did not continue without what was removed;
 * `not-saved`: there was not enough space for the memory, or saving it failed; `none`: nothing ran.
 */
const environmentMemorySchema = z.discriminatedUnion('kept', [
  z.object({ kept: z.literal(true), bytes: z.number().int() }),
  z.object({
    kept: z.literal(false),
    reason: z.enum([
      ...(['secret-found', 'secret-written', 'too-much-removed', 'not-restorable', 'not-saved', 'none'] as const),
    ]),
    detail: z.string(),
    traces: z.array(
      z.object({ kind: z.enum(['stored', 'credentials', 'history', 'finding']), count: z.number().int() }),
    ),
  }),
])

/**
 * A copy of a thread’s sandbox that can be saved in an agent: everything on its disk except credentials and traces of
 * the conversation. Unless it is saved, it is kept for an hour.
 */
export const environmentSchema = z
  .object({
    id: z.string(),
    /** Null: it came in a file. */
    threadId: z.string().nullable(),
    createdAt: z.number().int(),
    /** When it is deleted unless an agent has it; null: an agent has it. */
    expiresAt: z.number().int().nullable(),
    /** What the disk holds beyond its image. */
    diskBytes: z.number().int(),
    captured: z.object({
      /** Files in home directories, files of installed packages, and all others. */
      home: amountSchema,
      packages: amountSchema,
      system: amountSchema,
      /** Python variables and functions, restored with the first Python cell of a thread. */
      variables: z.object({ names: z.array(z.string()), bytes: z.number().int() }),
      services: z.array(z.object({ name: z.string(), command: z.string(), port: z.number().int() })),
    }),
    notCaptured: z.object({
      /** Files left out of the copy. The thread still has them. */
      removed: z.array(z.object({ path: z.string(), kind: z.enum(['credentials', 'history', 'output']) })),
      /** Secrets that were overwritten in the copy; the rule `stored`: one that this installation stores. */
      redacted: z.array(findingSchema),
      variables: z.array(z.object({ name: z.string(), reason: z.string() })),
      /** Why there are no variables although there was memory; otherwise empty. */
      memoryProblem: z.string(),
    }),
    /** Possible secrets that stay in the copy unless they are named when it is saved. */
    findings: z.array(findingSchema),
    furtherFindings: z.number().int(),
    /** Null: it was not requested. */
    memory: environmentMemorySchema.nullable(),
  })
  .meta({ id: 'Environment' })
export type Environment = z.infer<typeof environmentSchema>

/** Which environment an agent gets, and which of its findings are overwritten first. */
export const saveEnvironmentSchema = z.strictObject({
  id: z.string().min(1).max(64),
  redact: z
    .array(z.strictObject({ path: z.string().min(1).max(4096), rule: z.string().min(1).max(64) }))
    .max(1000)
    .optional(),
})
export type SaveEnvironment = z.infer<typeof saveEnvironmentSchema>
