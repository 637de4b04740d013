import { z } from 'zod'
import { hostLimitsSchema } from './limits.ts'

/**
 * An archived disk: its only copy is outside of the host, as the difference from its image that
 * `GET /v1/sandboxes/{sandboxId}/disk?whole=true` sends. The sandbox stays known, with its image, address and limits, and
 * can’t start.
 *
 * `GET /v1/sandboxes/{sandboxId}/disk/content`: what the disk contains, for {@link archiveOrderSchema}. Only while nothing
 * runs in the sandbox.
 */
export const diskContentSchema = z.object({
  /** Equal values: nothing was written in between. */
  generation: z.string(),
  usedBytes: z.number().int(),
})
export type DiskContentView = z.infer<typeof diskContentSchema>

/** `whole`: with pipes, and the times of folders in which only files changed. */
export const sendDiskQuerySchema = z.object({ whole: z.stringbool().optional() })

/**
 * `POST /v1/sandboxes/{sandboxId}/archive`: deletes the disk with its snapshots, because a copy of this content is kept
 * elsewhere. Fails with `archive.disk-changed` if the disk has other content by now. Already archived: completes it.
 */
export const archiveOrderSchema = z.object({ generation: z.string().max(200) })

/**
 * `PUT /v1/sandboxes/{sandboxId}/archive?order=JSON`, with the bytes that were sent before: creates the disk again. Until it
 * responds, the sandbox stays archived, and nothing stays of bytes that break off. Fails with `archive.no-space` before it
 * reads anything if the disk would not fit. Not archived: does nothing. A sandbox that the host doesn’t know, because its
 * state was restored from a backup, is recorded as archived first.
 */
export const restoreOrderSchema = z.object({
  usedBytes: z.number().int().min(0),
  imageId: z.string().min(1).max(200),
  limits: hostLimitsSchema,
})
export type RestoreOrder = z.infer<typeof restoreOrderSchema>
