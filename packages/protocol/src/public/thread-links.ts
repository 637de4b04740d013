import { z } from 'zod'

/** A link by which anybody reads one thread, and does nothing else, until `expiresAt` (ms; null: until it is ended). */
export const threadLinkSchema = z
  .object({
    id: z.string(),
    /** Attached and shared files of the conversation can be downloaded too. */
    withFiles: z.boolean(),
    createdAt: z.number().int(),
    expiresAt: z.number().int().nullable(),
    /** How often the page was opened, and when last. */
    openedCount: z.number().int(),
    lastOpenedAt: z.number().int().nullable(),
  })
  .meta({ id: 'ThreadLink' })
export type ThreadLink = z.infer<typeof threadLinkSchema>

/** `GET /threads/{id}/links`: those that hold, newest first. */
export const threadLinksSchema = z.object({ links: z.array(threadLinkSchema) }).meta({ id: 'ThreadLinks' })
export type ThreadLinks = z.infer<typeof threadLinksSchema>

/** `POST /threads/{id}/links`. Null holds until somebody ends it. */
export const createThreadLinkSchema = z.strictObject({
  withFiles: z.boolean(),
  expiresInSeconds: z
    .number()
    .int()
    .min(60)
    .max(365 * 24 * 3600)
    .nullable(),
})
export type CreateThreadLink = z.infer<typeof createThreadLinkSchema>

/** The only time that the address is told: it is not kept. */
export const createdThreadLinkSchema = threadLinkSchema.extend({ url: z.string() }).meta({ id: 'CreatedThreadLink' })
export type CreatedThreadLink = z.infer<typeof createdThreadLinkSchema>
