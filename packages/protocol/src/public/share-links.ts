import { z } from 'zod'
import { serviceNameSchema, servicePortSchema } from './services.ts'

/** A link by which anybody sees the pages of one service, and nothing else, until `expiresAt` (ms; null: until it is ended). */
export const shareLinkSchema = z
  .object({
    id: z.string(),
    service: serviceNameSchema,
    port: servicePortSchema,
    /** Who opens it while the sandbox sleeps wakes it; otherwise sees a page that says so. */
    mayWake: z.boolean(),
    createdAt: z.number().int(),
    expiresAt: z.number().int().nullable(),
  })
  .meta({ id: 'ShareLink' })
export type ShareLink = z.infer<typeof shareLinkSchema>

/** `GET /threads/{id}/share-links`: those that hold, newest first. */
export const shareLinksSchema = z
  .object({
    links: z.array(shareLinkSchema),
    /** Names of previews lead to the viewer's own computer, so the links work on this one and through a tunnel only. */
    isLocalOnly: z.boolean(),
  })
  .meta({ id: 'ShareLinks' })
export type ShareLinks = z.infer<typeof shareLinksSchema>

/** `POST /threads/{id}/services/{name}/share-links`. Null holds until somebody ends it. */
export const createShareLinkRequestSchema = z
  .strictObject({
    expiresInSeconds: z
      .number()
      .int()
      .min(60)
      .max(365 * 24 * 3600)
      .nullable(),
    mayWake: z.boolean().optional(),
  })
  .meta({ id: 'CreateShareLinkRequest' })
export type CreateShareLinkRequest = z.infer<typeof createShareLinkRequestSchema>

/** The only time that the address is told: it is not kept. */
export const createdShareLinkSchema = shareLinkSchema.extend({ url: z.string() }).meta({ id: 'CreatedShareLink' })
export type CreatedShareLink = z.infer<typeof createdShareLinkSchema>
