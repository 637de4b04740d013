import { z } from 'zod'
import { rescueReportSchema, rescueRequestSchema } from '../guest/manifest.ts'

/** A secret that a rule found in a file: which rule, how often. Never contains the secret. */
const findingSchema = z.object({ path: z.string(), rule: z.string(), count: z.number().int() })

/**
 * `POST /v1/sandboxes/{sandboxId}/clean`: removes secrets and traces of the conversation from the disk of a stopped
 * sandbox, so that it can be shared. Returns {@link cleanedSandboxSchema}. Repeating the order changes nothing.
 */
export const cleanSandboxSchema = z.object({
  /**
   * Texts that must not stay: every occurrence is overwritten. A JSON array of strings, sealed for `sealingKey` of
   * {@link hostInfoSchema}, so that the host daemon itself never has them.
   */
  sealedSecrets: z.string().max(40_000_000),
  /** Findings of an earlier order to overwrite as well. */
  redact: z
    .array(z.object({ path: z.string().max(4096), rule: z.string().max(64) }))
    .max(1000)
    .optional(),
  /** Also removes what threadbox keeps on the disk: saved variables, shell sessions, processes to start again. */
  withoutState: z.boolean().optional(),
})

const amountSchema = z.object({ files: z.number().int(), bytes: z.number().int() })

/** What the disk holds beyond the image, after the removal. */
export const cleanedSandboxSchema = z.object({
  /** Removed files and folders: credentials, shell histories, outputs of commands. */
  removed: z.array(z.object({ path: z.string(), kind: z.enum(['credentials', 'history', 'output']) })),
  /** Overwritten in their file. `stored`: one of `sealedSecrets`. */
  redacted: z.array(findingSchema),
  /** Looks like a secret and was not changed. */
  findings: z.array(findingSchema),
  /** Number of findings that are not listed. */
  furtherFindings: z.number().int(),
  amounts: z.object({ home: amountSchema, packages: amountSchema, variables: amountSchema, system: amountSchema }),
})
export type CleanedSandbox = z.infer<typeof cleanedSandboxSchema>

/**
 * `POST /v1/sandboxes/{sandboxId}/preserve`: makes a copy that runs, or sleeps with its memory, safe to share together
 * with that memory. What is in memory is saved first, so that it is not lost if the memory can’t be kept; then shells,
 * terminals and the texts of commands and cells are removed, the disk is cleaned as by `clean`, and the memory that
 * continues over it is scanned. Returns {@link preservedSandboxSchema}: the sandbox is paused, or stopped if its memory
 * was not kept. If it fails, nothing on the disk was changed, or repeating the order does the rest.
 */
export const preserveSandboxSchema = cleanSandboxSchema.omit({ withoutState: true }).extend({
  bootId: z.string(),
  hashKey: z.string().optional(),
  budgets: rescueRequestSchema,
})

/** Removed content that was still found in memory, by kind, and in how many different texts. */
export const memoryTracesSchema = z.array(
  z.object({ kind: z.enum(['stored', 'credentials', 'history', 'finding']), count: z.number().int() }),
)

/**
 * Why memory was not kept. `secret-found`: it contains what was removed from the disk. `secret-written`: a program
 * wrote such a text during the copy. `too-much-removed`: more was removed than can be searched for. `not-restorable`:
 * it could not continue over the cleaned disk. `not-saved`: there was not enough space for it, or saving it failed.
 * `none`: there was none.
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
  /** What was saved first; null if the order began with a paused sandbox. */
  rescue: rescueReportSchema.nullable(),
  memory: preservedMemorySchema,
})
export type PreservedSandbox = z.infer<typeof preservedSandboxSchema>
