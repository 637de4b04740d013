import { z } from 'zod'

/**
 * A link with which anyone can read one thread until `expiresAt` (ms; null: until it is revoked), and, if it allows
 * that, people of this installation can copy the thread with its sandbox.
 */
export const threadLinkSchema = z
  .object({
    id: z.string(),
    /** Attached and shared files of the conversation can be downloaded too. */
    withFiles: z.boolean(),
    /** Anyone who is signed in can create a thread of their own as a copy of this one, including its whole sandbox. */
    allowsCopies: z.boolean(),
    /** How many copies were made, and how many more are allowed. */
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

/** `GET /threads/{id}/links`: valid links, newest first. */
export const threadLinksSchema = z.object({ links: z.array(threadLinkSchema) }).meta({ id: 'ThreadLinks' })
export type ThreadLinks = z.infer<typeof threadLinksSchema>

/** `POST /threads/{id}/links`. With null the link is valid until it is revoked. */
export const createThreadLinkSchema = z.strictObject({
  withFiles: z.boolean(),
  /** A copy has all files, even if the page is without them (`withFiles`). */
  allowsCopies: z.boolean().default(false),
  expiresInSeconds: z
    .number()
    .int()
    .min(60)
    .max(365 * 24 * 3600)
    .nullable(),
})
export type CreateThreadLink = z.input<typeof createThreadLinkSchema>

/** The only response that contains the address: it is not stored. */
export const createdThreadLinkSchema = threadLinkSchema.extend({ url: z.string() }).meta({ id: 'CreatedThreadLink' })
export type CreatedThreadLink = z.infer<typeof createdThreadLinkSchema>

/**
 * The secret of a link: the part of its address after `/shared/`. Sent in a body, so that it appears in no log of
 * addresses.
 */
export const sharedThreadSecretSchema = z.strictObject({ secret: z.string().min(1).max(200) })

/** `POST /shared-threads/look`: what a copy would begin with. */
export const sharedThreadSchema = z
  .object({
    title: z.string(),
    /** Number of responses it has now. */
    turns: z.number().int(),
    /** False: the thread has no sandbox yet. */
    hasComputer: z.boolean(),
    copiesLeft: z.number().int(),
    expiresAt: z.number().int().nullable(),
  })
  .meta({ id: 'SharedThread' })
export type SharedThread = z.infer<typeof sharedThreadSchema>
