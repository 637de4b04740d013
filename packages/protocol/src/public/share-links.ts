import { z } from 'zod'
import { serviceNameSchema, servicePortSchema } from './services.ts'

/**
 * A link with which anyone can see the pages of one service, and nothing else, until `expiresAt` (ms; null: until it is
 * revoked).
 */
export const shareLinkSchema = z
  .object({
    id: z.string(),
    service: serviceNameSchema,
    port: servicePortSchema,
    /** Whether opening it wakes a sleeping sandbox; otherwise a page says that it is asleep. */
    mayWake: z.boolean(),
    createdAt: z.number().int(),
    expiresAt: z.number().int().nullable(),
  })
  .meta({ id: 'ShareLink' })
export type ShareLink = z.infer<typeof shareLinkSchema>

/** `GET /threads/{id}/share-links`: valid links, newest first. */
export const shareLinksSchema = z
  .object({
    links: z.array(shareLinkSchema),
    /** Preview hostnames lead to the viewer’s own machine, so the links work on this one and through a tunnel only. */
    isLocalOnly: z.boolean(),
  })
  .meta({ id: 'ShareLinks' })
export type ShareLinks = z.infer<typeof shareLinksSchema>

/** `POST /threads/{id}/services/{name}/share-links`. With null the link is valid until it is revoked. */
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

/** The only response that contains the address: it is not stored. */
export const createdShareLinkSchema = shareLinkSchema.extend({ url: z.string() }).meta({ id: 'CreatedShareLink' })
export type CreatedShareLink = z.infer<typeof createdShareLinkSchema>
