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
    /** While active: what keeps it awake now (see `awakeReasons`), and what happens next. */
    awake: z
      .object({
        reasons: z.array(
          z.object({ reason: z.enum(['turn', 'cpu', 'request', 'terminal', 'hold']), detail: z.string() }),
        ),
        /** When it pauses if nothing more happens; null while a reason holds. */
        pauseAt: z.number().int().nullable(),
        heldUntil: z.number().int().nullable(),
        /** When it is paused whatever runs. */
        latestPauseAt: z.number().int().nullable(),
      })
      .nullish(),
    /** While paused or cold: what is kept and until when. */
    asleep: z
      .object({
        memory: z.enum(['frozen', 'saved', 'none']),
        /** Guaranteed until then; null when memory is gone. */
        memoryUntil: z.number().int().nullable(),
        /** When the files will be removed; null: never. */
        removedAt: z.number().int().nullable(),
      })
      .nullish(),
    /** While it waits for room: its place in the queue (1 is next) and how many may be awake. */
    waiting: z.object({ position: z.number().int(), places: z.number().int() }).nullish(),
  })
  .meta({ id: 'Sandbox' })
export type SandboxView = z.infer<typeof sandboxViewSchema>
