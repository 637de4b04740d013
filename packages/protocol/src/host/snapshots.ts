import { z } from 'zod'

/** A read-only copy of what a disk contained at a moment. */
export const hostSnapshotSchema = z.object({
  snapshotId: z.string(),
  at: z.number().int(),
  /** What was written since the snapshot before it, before compression. */
  writtenBytes: z.number().int(),
  /** What ran at that moment is kept too, and takes this much; null: files only. */
  memoryBytes: z.number().int().nullable().default(null),
})
export type HostSnapshot = z.infer<typeof hostSnapshotSchema>

/** Whether memory is wanted with a snapshot, and how much it may take. */
export const snapshotMemoryOrderSchema = z.object({ maxBytes: z.number().int().nonnegative() }).nullable()
export type SnapshotMemoryOrder = z.infer<typeof snapshotMemoryOrderSchema>

/**
 * Why a snapshot that was to have memory has none. `not-awake`: nothing ran. `no-room`: the pool has little left, and what
 * there is, is for pauses.
 */
export const snapshotMemoryProblemSchema = z.enum(['not-awake', 'too-large', 'no-room', 'not-saved', 'unsupported'])
export type SnapshotMemoryProblem = z.infer<typeof snapshotMemoryProblemSchema>

/**
 * `POST /v1/sandboxes/{sandboxId}/snapshots`: freezes the disk as it is now, whatever state the sandbox is in. With memory
 * the sandbox stands still while both are saved, and goes on whether that succeeds or not. Answers
 * {@link takenSnapshotSchema}. The same id again is the same snapshot.
 */
export const takeSnapshotSchema = z.object({ snapshotId: z.string(), memory: snapshotMemoryOrderSchema.default(null) })

export const takenSnapshotSchema = z.object({
  snapshot: hostSnapshotSchema,
  /** False: nothing was written since this snapshot, so none was made. Never so where memory was saved. */
  isNew: z.boolean(),
  /** Null: it has memory, or none was wanted. */
  memoryProblem: snapshotMemoryProblemSchema.nullable().default(null),
  /** How long the sandbox stood still. */
  stallMs: z.number().default(0),
  durationMs: z.number(),
  /** What the disk holds with all its snapshots, and what it may. */
  usedBytes: z.number().int(),
  limitBytes: z.number().int(),
})
export type TakenSnapshot = z.infer<typeof takenSnapshotSchema>

/** `GET /v1/sandboxes/{sandboxId}/snapshots`, oldest first. */
export const hostSnapshotsSchema = z.object({
  snapshots: z.array(hostSnapshotSchema),
  usedBytes: z.number().int(),
  limitBytes: z.number().int(),
})
export type HostSnapshots = z.infer<typeof hostSnapshotsSchema>
