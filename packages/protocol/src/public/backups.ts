import { z } from 'zod'

const at = z.number().int()

export const backupStepNames = ['run', 'verify', 'prune'] as const

/** One backup in the store, as the last run or verification recorded it. */
export const backupSchema = z
  .object({
    name: z.string(),
    at,
    /** What the store has for it, shared with other backups. */
    sizeBytes: z.number().int(),
    /** When all of its stored bytes were last read and compared. */
    verifiedAt: at.nullable(),
    /** What is damaged. Empty: nothing that is known. */
    problems: z.array(z.string()),
    /** What is not in it, and why. Null: not known on this machine. */
    leftOut: z.array(z.object({ what: z.string(), reason: z.string() })).nullable(),
  })
  .meta({ id: 'Backup' })
export type Backup = z.infer<typeof backupSchema>

export const backupFailureSchema = z
  .object({
    at,
    /** `run`: writing it. `record`: what is known of earlier ones can’t be read. */
    step: z.enum([...backupStepNames, 'record']),
    code: z.string(),
    message: z.string(),
    remedy: z.string(),
    details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())])),
  })
  .meta({ id: 'BackupFailure' })
export type BackupFailure = z.infer<typeof backupFailureSchema>

/** `GET /machine/backups`. */
export const backupsSchema = z
  .object({
    /** Backups are set up on the machine, with `./threadbox backup init`. */
    state: z.enum(['not-set-up', 'not-confirmed', 'ready']),
    /** The address of the store. */
    place: z.string().nullable(),
    /** The newest first. */
    backups: z.array(backupSchema),
    /** When the last one was complete. Null: none was. */
    succeededAt: at.nullable(),
    /** When all were last found intact. */
    verifiedAt: at.nullable(),
    /** When the schedule starts the next one. Null: it is off. */
    nextAt: at.nullable(),
    /** What runs. `files` and `bytes`: what was read so far; null: not known. */
    running: z
      .object({
        step: z.enum(backupStepNames),
        startedAt: at,
        files: z.number().int().nullable(),
        bytes: z.number().int().nullable(),
      })
      .nullable(),
    /** Until the same step succeeds. */
    failure: backupFailureSchema.nullable(),
    /** What an owner or admin must know. `old`: the last one is more than two days old. */
    attention: z.enum(['failed', 'old']).nullable(),
  })
  .meta({ id: 'Backups' })
export type Backups = z.infer<typeof backupsSchema>
