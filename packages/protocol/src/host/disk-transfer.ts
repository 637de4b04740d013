import { z } from 'zod'
import { hostLimitsSchema } from './limits.ts'

/**
 * A disk on its way to another installation: what differs from its image, so that it can be laid over an image of the same
 * recipe that was built elsewhere. zstd over one line of JSON ({@link diskHeadSchema}) and a tar of what was added or changed.
 *
 * `GET /v1/sandboxes/{sandboxId}/disk`: of a sandbox in which nothing runs; the stream breaks off when it fails.
 */
export const diskHeadSchema = z.object({
  version: z.literal(1),
  /** Names of the image that are not there any more, or are of another kind; bytes as latin1, relative to the root. */
  removed: z.array(z.string().min(1).max(4096)).max(1_000_000),
})
export type DiskHead = z.infer<typeof diskHeadSchema>

/** What the first line may take. */
export const maxDiskHeadBytes = 64 * 1024 * 1024

/**
 * `PUT /v1/sandboxes/{sandboxId}/disk?order=JSON`, the body as above: makes a sandbox that never ran, with this disk. Answers
 * the sandbox. When it fails, or is cut off, nothing of it stays, or what stays goes with `DELETE` of the sandbox. An id is
 * taken once, so the order is not repeated. The stream is a stranger's: it is unpacked where nothing else can be reached.
 */
export const receiveDiskSchema = z.object({ imageId: z.string().min(1).max(200), limits: hostLimitsSchema })
export type ReceiveDisk = z.infer<typeof receiveDiskSchema>
