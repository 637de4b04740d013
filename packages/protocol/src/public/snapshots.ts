import { z } from 'zod'

/** A thread’s disk at the end of a turn. */
export const snapshotSchema = z
  .object({
    /** Null unless `kept`. Turns that changed nothing share the previous turn’s snapshot. */
    id: z.string().nullable(),
    turnId: z.string(),
    at: z.number().int(),
    /**
     * `wanted`: it is being taken. `kept`: it exists. `removed`: it made room for newer ones or was deleted. `missed`:
     * something else had begun before it could be taken. `failed`: it could not be taken; `problem` says why.
     */
    state: z.enum(['wanted', 'kept', 'removed', 'missed', 'failed']),
    /** Bytes written since the previous snapshot, before compression; 0 for one that is shared. */
    writtenBytes: z.number().int(),
    /** Code of the error. */
    problem: z.string().nullable(),
    /** Size of the memory that is kept with it, shared like files are; null: files only. */
    memoryBytes: z.number().int().nullable(),
    /**
     * Why there are files only. `nothing-ran`: they are all there was, and a rewind restores everything. `not-yet`:
     * memory is saved once the thread has been idle for a while. `not-quiet`: the thread was used again before that;
     * `left-out`: while the limit of the hour was reached.
     * `too-large`, `no-room`: it exceeds a limit. `not-awake`: the sandbox had stopped. `not-saved`, `unsupported`: it
     * could not be saved. `removed`: it made room for newer memory.
     */
    memoryProblem: z.string().nullable(),
    /** A person pinned the turn: the snapshot and its memory stay, whatever the limits are. */
    isPinned: z.boolean(),
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
      /** Size of the disk with all its snapshots, as the file system counts it; null if it can’t be read now. */
      diskUsedBytes: z.number().int().nullable(),
      diskLimitBytes: z.number().int().nullable(),
      /** For all threads of the installation. */
      installationCount: z.number().int(),
      installationWrittenBytes: z.number().int(),
      /** Snapshots of the thread that have memory, and its size; then the size for all threads. */
      memoryCount: z.number().int(),
      memoryBytes: z.number().int(),
      installationMemoryBytes: z.number().int(),
    }),
    /** Limits; beyond them the oldest are deleted, except pinned ones. */
    limits: z.object({
      perThread: z.number().int(),
      bytesPerThread: z.number().int(),
      bytes: z.number().int(),
      memoryPerThread: z.number().int(),
      memoryBytes: z.number().int(),
      /** How many turns of a thread can be pinned. */
      pinsPerThread: z.number().int(),
    }),
  })
  .meta({ id: 'ThreadSnapshots' })
export type ThreadSnapshots = z.infer<typeof threadSnapshotsSchema>

/**
 * `POST /threads/{id}/fork`: a new thread that begins as a copy of this one. Without `turnId`, in its current state,
 * with everything that runs; with it, in the state at the end of that turn; with `beforeTurnId`, in the state when its
 * message was sent. With an earlier state, running programs continue if their memory is kept; otherwise there are only
 * the files.
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
 * `POST /threads/{id}/rewind`: restores the conversation and the disk from before this message was sent. What was
 * undone is kept, so that it can be restored.
 */
export const rewindThreadSchema = z.strictObject({ entryId: entryIdSchema })

/** `POST /threads/{id}/rewind/undo`: restores what the rewind undid, if nothing was sent since. */
export const undoRewindSchema = z.strictObject({ rewindId: entryIdSchema })

/** `GET /threads/{id}/rewind?before=`: the first message that would be removed. */
export const rewindQuerySchema = z.object({ before: entryIdSchema })

/** A completed rewind; `rewindId` names it for its undo. */
export const rewoundThreadSchema = z.object({ rewindId: z.string() }).meta({ id: 'RewoundThread' })
export type RewoundThread = z.infer<typeof rewoundThreadSchema>

const countSchema = z.number().int()

/**
 * What runs now compared with what ran at the snapshot (“then” below). Child processes of a listed one are not listed.
 */
const rewindRunningSchema = z.object({
  /** Whether it is known what runs now, and what ran then: the latter was recorded at the end of the turn. */
  knowsNow: z.boolean(),
  knowsThen: z.boolean(),
  /**
   * `restored`: ran then, and is restored. `returns`: runs now too, and returns to what it was doing then. `restarted`:
   * a service that is restarted over the restored files. `removed`: ends. `unclear`: runs now; whether it ran then was
   * not recorded. `lost`: ran then, and is not restored. At most 100; `processCount` and `processesByChange` cover all.
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
   * Python variables. `restored`: is restored. `changed`: gets its earlier value. `removed`: disappears. `lost`:
   * existed then, and is not restored. At most 100; `variableCount` and `variablesByChange` cover all, listed or not.
   */
  variables: z.array(
    z.object({
      name: z.string(),
      change: z.enum(['restored', 'changed', 'removed', 'lost']),
      typeNow: z.string().nullable(),
      typeThen: z.string().nullable(),
      /** Approximate size; null if the variable did not exist, or was not measured. */
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
  /** Variables that have the same value now and then, and those for which that could not be compared. */
  sameVariables: z.number().int(),
  unclearVariables: z.number().int(),
  /**
   * How many more existed now, and then, about which this says nothing: a preview, and the record of a turn, are
   * limited in number. They are in no other count.
   */
  leftOut: z.object({
    processesNow: countSchema,
    processesThen: countSchema,
    variablesNow: countSchema,
    variablesThen: countSchema,
  }),
  /** False: Python did not list its variables, or not all of them, now or then. */
  knowsVariables: z.boolean(),
})

/** What a rewind would undo, compared with the current state. A preview wakes nothing and changes nothing. */
export const rewindPreviewSchema = z
  .object({
    entryId: z.string(),
    /** The first turn that would be removed. */
    turnId: z.string(),
    text: z.string(),
    /** Code of the error with which a rewind would be rejected now; null: it is possible. */
    problem: z.string().nullable(),
    messages: z.object({
      /** By people. */
      sent: z.number().int(),
      /** Turns in which the agent responded or did something. */
      answers: z.number().int(),
    }),
    disk: z.object({
      /**
       * `snapshot`: its state after an earlier turn, at `at`. `image`: the state of a new sandbox. `none`: no disk
       * exists. `gone`: its earlier content is not kept.
       */
      to: z.enum(['snapshot', 'image', 'none', 'gone']),
      at: z.number().int().nullable(),
      /** At most 1000 of each kind, those in home directories first; null if the disk could not be compared. */
      files: z
        .array(
          z.object({
            path: z.string(),
            /** What the rewind does to it. */
            change: z.enum(['removed', 'restored', 'changed']),
            bytesNow: z.number().nullable(),
            bytesThen: z.number().nullable(),
            /** Lines of a small text file that the rewind restores, and removes; null where they were not counted. */
            lines: z.object({ added: z.number().int(), removed: z.number().int() }).nullable(),
          }),
        )
        .nullable(),
      /**
       * Caches and package directories (`__pycache__`, `.cache`, `node_modules`, `site-packages` and the like) with the
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
      /** Count of all files, including those in caches. */
      count: z.number().int(),
    }),
    /**
     * Whether processes and variables are restored as they were; otherwise the sandbox starts cold, over the restored
     * files.
     */
    bringsMemory: z.boolean(),
    /** Nothing was running then: without memory, nothing of that time is missing either. */
    nothingRan: z.boolean().default(false),
    /** A person pinned the turn that the thread returns to. */
    isPinned: z.boolean().default(false),
    running: rewindRunningSchema,
    /** Calls to connections: their effects elsewhere are not undone. */
    calls: z.array(z.object({ tool: z.string(), count: z.number().int() })),
    /**
     * Hostnames for which programs of the sandbox got an address since then, most frequent first: anything sent there
     * stays sent. Whether anything was sent, and what goes to an address without a name, is not recorded.
     */
    lookups: z.object({
      names: z.array(
        z.object({
          name: z.string(),
          count: z.number().int(),
          /** It was queried more often than the counter records. */
          isAtLeast: z.boolean(),
        }),
      ),
      /** Number of all names: at most 100 are listed. */
      nameCount: z.number().int(),
      /** Lookups are recorded from this time on, possibly later than the snapshot; null: none are recorded. */
      since: z.number().int().nullable(),
      /** Whether `since` covers the whole time back to the snapshot. */
      isWhole: z.boolean(),
    }),
  })
  .meta({ id: 'RewindPreview' })
export type RewindPreview = z.infer<typeof rewindPreviewSchema>
