import { z } from 'zod'

/** `GET /v1/sandboxes/{sandboxId}/names?since=<ms>`: names of other machines that programs inside asked for. */
export const namesAskedSchema = z.object({
  /** Nothing is known of what was before it. Null: nothing is known at all. */
  knownSince: z.number().nullable(),
  /** Most often first. Each got an address; whether anything was sent there is not known. */
  names: z.array(
    z.object({
      name: z.string(),
      count: z.number().int(),
      /** It was asked for more often than is remembered. */
      isAtLeast: z.boolean().default(false),
    }),
  ),
})
export type NamesAsked = z.infer<typeof namesAskedSchema>

/** Milliseconds since 1970. */
export const namesQuerySchema = z.object({ since: z.coerce.number().default(0) })
