import { z } from 'zod'

const idSchema = z.string().min(1).max(64)

/** What a person has, by number. */
export const belongingsCountsSchema = z
  .object({
    threads: z.number().int(),
    /** Of these, those that others can see. */
    sharedThreads: z.number().int(),
    /** Workspaces in which the person is the only member. */
    workspaces: z.number().int(),
    agents: z.number().int(),
    skills: z.number().int(),
    schedules: z.number().int(),
    webhooks: z.number().int(),
    /** Messages in threads of others. They stay when the account is erased, without a name. */
    messagesToOthers: z.number().int(),
  })
  .meta({ id: 'BelongingsCounts' })
export type BelongingsCounts = z.infer<typeof belongingsCountsSchema>

/** Names of what is a person’s own and never goes to another person. */
export const personalNamesSchema = z
  .object({
    secrets: z.array(z.string()),
    /** Addresses. */
    gitCredentials: z.array(z.string()),
    connections: z.array(z.string()),
  })
  .meta({ id: 'PersonalNames' })
export type PersonalNames = z.infer<typeof personalNamesSchema>

export const belongingsSchema = z
  .object({ counts: belongingsCountsSchema, personal: personalNamesSchema })
  .meta({ id: 'Belongings' })
export type Belongings = z.infer<typeof belongingsSchema>

/** `POST /people/{id}/hand-over` and `POST /threads/{id}/hand-over`: `to` is the ID of the person who gets it. */
export const handOverSchema = z.strictObject({ to: idSchema })
export type HandOver = z.input<typeof handOverSchema>

/** `PUT /ownership-offer`: the person who can become the owner. */
export const offerOwnershipSchema = z.strictObject({ personId: idSchema })
export type OfferOwnership = z.input<typeof offerOwnershipSchema>

/** Only the owner and the person see an offer. */
export const ownershipOfferSchema = z
  .object({
    offer: z.object({ personId: z.string(), createdAt: z.number().int(), expiresAt: z.number().int() }).nullable(),
  })
  .meta({ id: 'OwnershipOffer' })
export type OwnershipOffer = z.infer<typeof ownershipOfferSchema>

export const maxOpeningReasonLength = 500

/** `POST /threads/{id}/openings`: why the owner or an admin reads a thread that they aren’t in. Its members see it. */
export const openThreadSchema = z.strictObject({
  reason: z
    .string()
    .max(maxOpeningReasonLength)
    .refine((value) => value.trim() !== '', 'must not be empty'),
})
export type OpenThreadRequest = z.input<typeof openThreadSchema>

export const threadOpeningSchema = z
  .object({ threadId: z.string(), until: z.number().int() })
  .meta({ id: 'ThreadOpening' })
export type ThreadOpening = z.infer<typeof threadOpeningSchema>
