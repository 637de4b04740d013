import { z } from 'zod'

/** A read-only copy of a disk’s content at one time. */
export const hostSnapshotSchema = z.object({
  snapshotId: z.string(),
  at: z.number().int(),
  /** Bytes written since the previous snapshot, before compression. */
  writtenBytes: z.number().int(),
  /** Size of the memory kept with it; null: files only. */
  memoryBytes: z.number().int().nullable().default(null),
})
export type HostSnapshot = z.infer<typeof hostSnapshotSchema>

/** Whether memory is wanted with a snapshot, and its size limit. */
export const snapshotMemoryOrderSchema = z.object({ maxBytes: z.number().int().nonnegative() }).nullable()
export type SnapshotMemoryOrder = z.infer<typeof snapshotMemoryOrderSchema>

/**
 * Why a snapshot that was meant to have memory has none. `not-awake`: nothing ran. `no-room`: the pool is almost full,
 * and the remaining space is reserved for pauses.
 */
export const snapshotMemoryProblemSchema = z.enum(['not-awake', 'too-large', 'no-room', 'not-saved', 'unsupported'])
export type SnapshotMemoryProblem = z.infer<typeof snapshotMemoryProblemSchema>

/**
 * `POST /v1/sandboxes/{sandboxId}/snapshots`: freezes the current disk in any state of the sandbox. With memory, the
 * sandbox stops while both are saved, and continues whether that succeeds or not. Returns {@link takenSnapshotSchema}.
 * The same id again is the same snapshot.
 */
export const takeSnapshotSchema = z.object({
  snapshotId: z.string(),
  memory: snapshotMemoryOrderSchema.default(null),
  /** False: an earlier snapshot is not returned if it has memory, because something else may run now. */
  sharesMemory: z.boolean().default(true),
  /** Refused with `host.busy` while a person waits for a sandbox, or the machine is busy. */
  ifFree: z.boolean().optional(),
})

export const takenSnapshotSchema = z.object({
  snapshot: hostSnapshotSchema,
  /** False: nothing was written since this snapshot, so no new one was taken. Always true if memory was saved. */
  isNew: z.boolean(),
  /** Null: it has memory, or none was requested. */
  memoryProblem: snapshotMemoryProblemSchema.nullable().default(null),
  /** How long the sandbox was stopped. */
  stallMs: z.number().default(0),
  durationMs: z.number(),
  /** What the disk holds with all its snapshots, and its limit. */
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
