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

/** A thread’s sandbox as its owner sees it. `detail` is a message key of the web app with its parameters. */
export const sandboxViewSchema = z
  .object({
    state: publicSandboxStateSchema,
    /** When this state began, ms since epoch. */
    since: z.number().int(),
    /** What keeps it awake, why it failed: measured values only. */
    detail: z.object({ code: z.string(), params: z.record(z.string(), z.union([z.string(), z.number()])) }).nullable(),
    limits: sandboxLimitsSchema,
    /** While active: what keeps it awake now (see `awakeReasons`), and what happens next. */
    awake: z
      .object({
        reasons: z.array(
          z.object({ reason: z.enum(['turn', 'cpu', 'request', 'terminal', 'hold']), detail: z.string() }),
        ),
        /** When it pauses if nothing else happens; null while a reason applies. */
        pauseAt: z.number().int().nullable(),
        heldUntil: z.number().int().nullable(),
        /** When it is paused even if something runs. */
        latestPauseAt: z.number().int().nullable(),
      })
      .nullish(),
    /** While paused or cold: what is kept and until when. */
    asleep: z
      .object({
        memory: z.enum(['frozen', 'saved', 'none']),
        /** Guaranteed until this time; null if memory is lost. */
        memoryUntil: z.number().int().nullable(),
        /** When the files will be deleted; null: never. */
        removedAt: z.number().int().nullable(),
      })
      .nullish(),
    /** While archived: the size of its files, and how much has arrived while they are being restored. */
    archive: z.object({ bytes: z.number().int(), restoredBytes: z.number().int().nullable() }).nullish(),
    /**
     * While it waits for memory, or with `limit` for one of its creator’s places: its position in the queue (1 is next)
     * and how many sandboxes can be awake.
     */
    waiting: z
      .object({ position: z.number().int(), places: z.number().int(), reason: z.literal('limit').optional() })
      .nullish(),
  })
  .meta({ id: 'Sandbox' })
export type SandboxView = z.infer<typeof sandboxViewSchema>
