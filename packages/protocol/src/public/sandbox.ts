import { z } from 'zod'

/** The states of the lifecycle table as the API shows them. */
export const publicSandboxStateSchema = z.enum([
  'fresh',
  'starting',
  'active',
  'pausing',
  'paused',
  'waking',
  'cold',
  'archived',
  'error',
  'deleting',
])

export const sandboxLimitsSchema = z
  .object({
    memoryBytes: z.number().int().positive(),
    cpus: z.number().positive(),
    processes: z.number().int().positive(),
    diskBytes: z.number().int().positive(),
  })
  .meta({ id: 'SandboxLimits' })

/** A thread's computer as its owner sees it. `detail` is a message key of the web app with its parameters. */
export const sandboxViewSchema = z
  .object({
    state: publicSandboxStateSchema,
    /** When this state began, ms since epoch. */
    since: z.number().int(),
    /** What keeps it awake, why it failed: only what was measured. */
    detail: z.object({ code: z.string(), params: z.record(z.string(), z.union([z.string(), z.number()])) }).nullable(),
    limits: sandboxLimitsSchema,
  })
  .meta({ id: 'Sandbox' })
export type SandboxView = z.infer<typeof sandboxViewSchema>
