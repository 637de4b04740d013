import { z } from 'zod'
import { hostLimitsSchema } from './limits.ts'

/**
 * A disk in transfer to another installation: its difference from its image, to be applied to an image of the same
 * recipe that was built elsewhere. zstd over one line of JSON ({@link diskHeadSchema}) and a tar of what was added or
 * changed.
 *
 * `GET /v1/sandboxes/{sandboxId}/disk`: the disk of a sandbox in which nothing runs; the stream breaks off if it fails.
 */
export const diskHeadSchema = z.object({
  version: z.literal(1),
  /** Names in the image that no longer exist, or are of another kind; bytes as latin1, relative to the root. */
  removed: z.array(z.string().min(1).max(4096)).max(1_000_000),
})
export type DiskHead = z.infer<typeof diskHeadSchema>

/** Size limit of the first line. */
export const maxDiskHeadBytes = 64 * 1024 * 1024

/**
 * `PUT /v1/sandboxes/{sandboxId}/disk?order=JSON`, with the body above: creates a sandbox that never ran, with this
 * disk. Returns the sandbox. If it fails or is cut off, nothing stays, or `DELETE` of the sandbox removes what stays.
 * An id can be used once, so the order is not repeated. The stream is untrusted: it is unpacked where nothing else can
 * be reached.
 */
export const receiveDiskSchema = z.object({ imageId: z.string().min(1).max(200), limits: hostLimitsSchema })
export type ReceiveDisk = z.infer<typeof receiveDiskSchema>
