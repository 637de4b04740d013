import { z } from 'zod'

/** What the disk of a thread contained when an answer had ended. */
export const snapshotSchema = z
  .object({
    /** Null unless `kept`. Answers that changed nothing share the snapshot of the one before. */
    id: z.string().nullable(),
    turnId: z.string(),
    at: z.number().int(),
    /**
     * `wanted`: it is being taken. `kept`: it is there. `removed`: it was, and made room for newer ones or was deleted.
     * `missed`: something else had begun before it could be taken. `failed`: it could not be taken; `problem` says why.
     */
    state: z.enum(['wanted', 'kept', 'removed', 'missed', 'failed']),
    /** What was written since the snapshot before it, before compression; 0 for one that is shared. */
    writtenBytes: z.number().int(),
    /** Code of the error. */
    problem: z.string().nullable(),
  })
  .meta({ id: 'Snapshot' })
export type Snapshot = z.infer<typeof snapshotSchema>

/** `GET /threads/{id}/snapshots`, newest first. */
export const threadSnapshotsSchema = z
  .object({
    snapshots: z.array(snapshotSchema),
    usage: z.object({
      count: z.number().int(),
      writtenBytes: z.number().int(),
      /** What the disk takes with all its snapshots, as the file system counts it; null when nobody can say now. */
      diskUsedBytes: z.number().int().nullable(),
      diskLimitBytes: z.number().int().nullable(),
      /** Of all threads of the installation. */
      installationCount: z.number().int(),
      installationWrittenBytes: z.number().int(),
    }),
    /** What is kept at most; beyond that the oldest go. */
    limits: z.object({ perThread: z.number().int(), bytesPerThread: z.number().int(), bytes: z.number().int() }),
  })
  .meta({ id: 'ThreadSnapshots' })
export type ThreadSnapshots = z.infer<typeof threadSnapshotsSchema>

/**
 * `POST /threads/{id}/fork`: a new thread that begins as a copy of this one. Without `turnId` as it is now, with everything
 * that runs; with it as it was when that answer had ended, files only; with `beforeTurnId` as it was when its message was
 * sent.
 */
export const forkThreadSchema = z
  .strictObject({
    turnId: z.string().min(1).max(64).nullable().default(null),
    beforeTurnId: z.string().min(1).max(64).nullable().default(null),
    title: z.string().max(200).optional(),
  })
  .refine(({ turnId, beforeTurnId }) => turnId === null || beforeTurnId === null, 'Name one answer, not two.')
export type ForkThread = z.input<typeof forkThreadSchema>
