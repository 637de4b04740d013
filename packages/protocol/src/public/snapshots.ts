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
    /** What ran then is kept too and takes this much, shared as the files are; null: files only. */
    memoryBytes: z.number().int().nullable(),
    /**
     * Why there are files only, where memory was to be kept. `too-large`, `no-room`: it takes more than it may. `not-awake`:
     * nothing ran. `not-quiet`: the next message came at once. `not-saved`, `unsupported`: it could not be saved. `removed`: it made room for newer memory.
     */
    memoryProblem: z.string().nullable(),
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
      /** Snapshots of the thread that have memory, and what that takes; then that of all threads. */
      memoryCount: z.number().int(),
      memoryBytes: z.number().int(),
      installationMemoryBytes: z.number().int(),
    }),
    /** What is kept at most; beyond that the oldest go. */
    limits: z.object({
      perThread: z.number().int(),
      bytesPerThread: z.number().int(),
      bytes: z.number().int(),
      memoryPerThread: z.number().int(),
      memoryBytes: z.number().int(),
    }),
  })
  .meta({ id: 'ThreadSnapshots' })
export type ThreadSnapshots = z.infer<typeof threadSnapshotsSchema>

/**
 * `POST /threads/{id}/fork`: a new thread that begins as a copy of this one. Without `turnId` as it is now, with everything
 * that runs; with it as it was when that answer had ended; with `beforeTurnId` as it was when its message was sent. Then
 * what ran goes on where its memory is kept, else there are the files of then.
 */
export const forkThreadSchema = z
  .strictObject({
    turnId: z.string().min(1).max(64).nullable().default(null),
    beforeTurnId: z.string().min(1).max(64).nullable().default(null),
    title: z.string().max(200).optional(),
  })
  .refine(({ turnId, beforeTurnId }) => turnId === null || beforeTurnId === null, 'must name only one turn')
export type ForkThread = z.input<typeof forkThreadSchema>

const entryIdSchema = z.string().min(1).max(64)

/**
 * `POST /threads/{id}/rewind`: the conversation and the disk become what they were before this message was sent. What was
 * undone is kept, so that it can come back.
 */
export const rewindThreadSchema = z.strictObject({ entryId: entryIdSchema })

/** `POST /threads/{id}/rewind/undo`: brings back what the rewind undid, if nothing was sent since. */
export const undoRewindSchema = z.strictObject({ rewindId: entryIdSchema })

/** `GET /threads/{id}/rewind?before=`: the message that would be the first to go. */
export const rewindQuerySchema = z.object({ before: entryIdSchema })

/** A rewind that was made; `rewindId` names it for its undo. */
export const rewoundThreadSchema = z.object({ rewindId: z.string() }).meta({ id: 'RewoundThread' })
export type RewoundThread = z.infer<typeof rewoundThreadSchema>

const countSchema = z.number().int()

/** What runs now against what ran then. Processes that others of them started are not named. */
const rewindRunningSchema = z.object({
  /** Whether somebody can say what runs now, and what ran then: that was written down when the answer had ended. */
  knowsNow: z.boolean(),
  knowsThen: z.boolean(),
  /**
   * `restored`: ran then, and comes back. `returns`: runs now too, and goes back to what it was doing then. `restarted`: a
   * service that is started again over the files of then. `removed`: ends. `unclear`: runs now; whether it ran then, nobody
   * wrote down. `lost`: ran then, and does not come back. At most 100; `processCount` and `processesByChange` are of all.
   */
  processes: z.array(
    z.object({
      name: z.string(),
      kind: z.enum(['process', 'service']),
      change: z.enum(['restored', 'returns', 'restarted', 'removed', 'unclear', 'lost']),
    }),
  ),
  processCount: z.number().int(),
  processesByChange: z.object({
    restored: countSchema,
    returns: countSchema,
    restarted: countSchema,
    removed: countSchema,
    unclear: countSchema,
    lost: countSchema,
  }),
  /**
   * Of Python. `restored`: comes back. `changed`: has its value of then again. `removed`: goes. `lost`: was there then, and
   * does not come back. At most 100; `variableCount` and `variablesByChange` are of all, named or not.
   */
  variables: z.array(
    z.object({
      name: z.string(),
      change: z.enum(['restored', 'changed', 'removed', 'lost']),
      typeNow: z.string().nullable(),
      typeThen: z.string().nullable(),
      /** What it takes, roughly; null where it is not there, or that was not measured. */
      bytesNow: z.number().int().nullable(),
      bytesThen: z.number().int().nullable(),
    }),
  ),
  variableCount: z.number().int(),
  variablesByChange: z.object({
    restored: countSchema,
    changed: countSchema,
    removed: countSchema,
    lost: countSchema,
  }),
  /** Variables that have the same value now as then, and those of which that could not be compared. */
  sameVariables: z.number().int(),
  unclearVariables: z.number().int(),
  /**
   * How many more there are now, and were then, of which this says nothing: a look, and what is written down with an answer,
   * has so many and no more. They are in no other number.
   */
  leftOut: z.object({
    processesNow: countSchema,
    processesThen: countSchema,
    variablesNow: countSchema,
    variablesThen: countSchema,
  }),
  /** False: Python did not say what it holds, or not all of it, now or then. */
  knowsVariables: z.boolean(),
})

/** What a rewind would undo, by looking at what is there now. Looking wakes nothing and changes nothing. */
export const rewindPreviewSchema = z
  .object({
    entryId: z.string(),
    /** The first turn that goes. */
    turnId: z.string(),
    text: z.string(),
    /** Code of the error with which a rewind would be refused now; null: it can be made. */
    problem: z.string().nullable(),
    messages: z.object({
      /** Of people. */
      sent: z.number().int(),
      /** With something that the agent answered or did. */
      answers: z.number().int(),
    }),
    disk: z.object({
      /**
       * `snapshot`: as it was after an earlier answer, at `at`. `image`: as that of a new sandbox. `none`: there is no
       * disk. `gone`: what it contained is not kept.
       */
      to: z.enum(['snapshot', 'image', 'none', 'gone']),
      at: z.number().int().nullable(),
      /** At most 1000 of each kind, those in home directories first; null when nobody could look. */
      files: z
        .array(
          z.object({
            path: z.string(),
            /** What the rewind does to it. */
            change: z.enum(['removed', 'restored', 'changed']),
            bytesNow: z.number().nullable(),
            bytesThen: z.number().nullable(),
            /** Lines that come back with the rewind, and that go, of a small text file; null where they were not counted. */
            lines: z.object({ added: z.number().int(), removed: z.number().int() }).nullable(),
          }),
        )
        .nullable(),
      /**
       * Caches and directories of packages (`__pycache__`, `.cache`, `node_modules`, `site-packages` and the like) with the
       * number of files in them that the rewind removes, restores and changes. None of these is in `files`.
       */
      caches: z
        .array(
          z.object({
            path: z.string(),
            removed: z.number().int(),
            restored: z.number().int(),
            changed: z.number().int(),
          }),
        )
        .default([]),
      /** Of all files, those in caches too. */
      count: z.number().int(),
    }),
    /** Whether processes and variables come back as they were then; else it comes up cold, over the files of then. */
    bringsMemory: z.boolean(),
    running: rewindRunningSchema,
    /** Calls to connections: what they did elsewhere stays done. */
    calls: z.array(z.object({ tool: z.string(), count: z.number().int() })),
    /**
     * Names of other machines that programs of the sandbox got an address of since then, most often first: what was sent there
     * stays sent. Whether something was, and what goes to an address without a name, is not seen.
     */
    lookups: z.object({
      names: z.array(
        z.object({
          name: z.string(),
          count: z.number().int(),
          /** It was asked for more often than is remembered. */
          isAtLeast: z.boolean(),
        }),
      ),
      /** Of all: at most 100 are named. */
      nameCount: z.number().int(),
      /** They are known from this moment on, which may be later; null: not at all. */
      since: z.number().int().nullable(),
      /** Whether that is since the moment to which it would go back. */
      isWhole: z.boolean(),
    }),
  })
  .meta({ id: 'RewindPreview' })
export type RewindPreview = z.infer<typeof rewindPreviewSchema>
