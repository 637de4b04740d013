import { z } from 'zod'

/**
 * A link by which anybody reads one thread until `expiresAt` (ms; null: until it is ended), and, where it says so, people
 * of this installation make a copy of the thread with its computer.
 */
export const threadLinkSchema = z
  .object({
    id: z.string(),
    /** Attached and shared files of the conversation can be downloaded too. */
    withFiles: z.boolean(),
    /** Whoever is signed in may make a thread of their own that begins as a copy of this one, its whole computer included. */
    allowsCopies: z.boolean(),
    /** How many were made, and how many more may be. */
    copiedCount: z.number().int(),
    copiesLeft: z.number().int(),
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
  /** A copy has all files, whatever `withFiles` says of the page. */
  allowsCopies: z.boolean().default(false),
  expiresInSeconds: z
    .number()
    .int()
    .min(60)
    .max(365 * 24 * 3600)
    .nullable(),
})
export type CreateThreadLink = z.input<typeof createThreadLinkSchema>

/** The only time that the address is told: it is not kept. */
export const createdThreadLinkSchema = threadLinkSchema.extend({ url: z.string() }).meta({ id: 'CreatedThreadLink' })
export type CreatedThreadLink = z.infer<typeof createdThreadLinkSchema>

/** The secret of a link: what follows `/shared/` in its address. Sent as a body, so that it stands in no log of addresses. */
export const sharedThreadSecretSchema = z.strictObject({ secret: z.string().min(1).max(200) })

/** `POST /shared-threads/look`: what a copy would begin with. */
export const sharedThreadSchema = z
  .object({
    title: z.string(),
    /** How many answers it has now. */
    turns: z.number().int(),
    /** False: the thread has no computer yet. */
    hasComputer: z.boolean(),
    copiesLeft: z.number().int(),
    expiresAt: z.number().int().nullable(),
  })
  .meta({ id: 'SharedThread' })
export type SharedThread = z.infer<typeof sharedThreadSchema>
