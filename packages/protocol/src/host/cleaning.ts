import { z } from 'zod'

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
    .default([]),
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
