import { z } from 'zod'
import { rescueReportSchema, rescueRequestSchema } from '../guest/manifest.ts'

/** A secret that a rule found in a file: which one, how often. The text itself is never said. */
const findingSchema = z.object({ path: z.string(), rule: z.string(), count: z.number().int() })

/**
 * `POST /v1/sandboxes/{sandboxId}/clean`: takes secrets and traces of the conversation off the disk of a sandbox that is
 * stopped, so that it can be given to others. Answers {@link cleanedSandboxSchema}. The same order again changes nothing.
 */
export const cleanSandboxSchema = z.object({
  /** Texts that must not stay: each is overwritten wherever it stands. */
  secrets: z.array(z.string().min(8).max(20_000)).max(1000).default([]),
  /** Findings of an earlier order that are to be overwritten too. */
  redact: z
    .array(z.object({ path: z.string().max(4096), rule: z.string().max(64) }))
    .max(1000)
    .optional(),
})

const amountSchema = z.object({ files: z.number().int(), bytes: z.number().int() })

/** What stands on the disk beside what is in the image, after what was removed. */
export const cleanedSandboxSchema = z.object({
  /** Files and folders that are gone: credentials, histories of shells, outputs of commands. */
  removed: z.array(z.object({ path: z.string(), kind: z.enum(['credentials', 'history', 'output']) })),
  /** Overwritten in place. `stored`: one of `secrets`. */
  redacted: z.array(findingSchema),
  /** Looks like a secret and was left alone. */
  findings: z.array(findingSchema),
  /** Findings beyond those that are named. */
  furtherFindings: z.number().int(),
  amounts: z.object({ home: amountSchema, packages: amountSchema, variables: amountSchema, system: amountSchema }),
})
export type CleanedSandbox = z.infer<typeof cleanedSandboxSchema>

/**
 * `POST /v1/sandboxes/{sandboxId}/preserve`: makes a copy that runs, or sleeps with its memory, fit to be given to others
 * together with that memory. What is in memory is written down first, so that it is not lost when the memory cannot be kept;
 * then shells, terminals and the texts of commands and cells go, the disk is cleaned as by `clean`, and the memory that goes
 * on over it is looked through. Answers {@link preservedSandboxSchema}: the sandbox is paused, or stopped when its memory was
 * not kept. When it fails, nothing of the disk was changed, or the same order does the rest.
 */
export const preserveSandboxSchema = cleanSandboxSchema.extend({
  bootId: z.string(),
  hashKey: z.string().optional(),
  budgets: rescueRequestSchema,
})

/** What of the removed content still stood in memory, by kind, and in how many different texts. */
export const memoryTracesSchema = z.array(
  z.object({ kind: z.enum(['stored', 'credentials', 'history', 'finding']), count: z.number().int() }),
)

/**
 * Why memory was not kept. `secret-found`: what was taken off the disk stands in it. `secret-written`: a program wrote such a
 * thing while it was copied. `too-much-removed`: more was removed than can be looked for. `not-restorable`: it did not go on
 * over the cleaned disk. `not-saved`: there was no room for it, or saving it failed. `none`: there was none.
 */
export const unkeptMemorySchema = z.enum([
  ...(['secret-found', 'secret-written', 'too-much-removed', 'not-restorable', 'not-saved', 'none'] as const),
])

export const preservedMemorySchema = z.discriminatedUnion('kept', [
  z.object({ kept: z.literal(true), bytes: z.number().int() }),
  z.object({ kept: z.literal(false), reason: unkeptMemorySchema, detail: z.string(), traces: memoryTracesSchema }),
])
export type PreservedMemory = z.infer<typeof preservedMemorySchema>

export const preservedSandboxSchema = z.object({
  cleaned: cleanedSandboxSchema,
  /** What was written down; null when the order began with a paused sandbox. */
  rescue: rescueReportSchema.nullable(),
  memory: preservedMemorySchema,
})
export type PreservedSandbox = z.infer<typeof preservedSandboxSchema>
