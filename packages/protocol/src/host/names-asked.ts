import { z } from 'zod'

/** `GET /v1/sandboxes/{sandboxId}/names?since=<ms>`: hostnames that programs inside looked up. */
export const namesAskedSchema = z.object({
  /** Lookups before this time are not recorded. Null: none are recorded. */
  knownSince: z.number().nullable(),
  /** Most frequent first. Each got an address; whether anything was sent there is not known. */
  names: z.array(
    z.object({
      name: z.string(),
      count: z.number().int(),
      /** It was looked up more often than the counter records. */
      isAtLeast: z.boolean().default(false),
    }),
  ),
})
export type NamesAsked = z.infer<typeof namesAskedSchema>

/** Milliseconds since 1970. */
export const namesQuerySchema = z.object({ since: z.coerce.number().default(0) })
