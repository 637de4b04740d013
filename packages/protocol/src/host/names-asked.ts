import { z } from 'zod'
import { refusedReasons } from '../public/network.ts'

const nameAskedSchema = z.object({
  name: z.string(),
  count: z.number().int(),
  /** It was looked up more often than the counter records. */
  isAtLeast: z.boolean().default(false),
})

/** `GET /v1/sandboxes/{sandboxId}/names?since=<ms>`: hostnames that programs inside looked up. */
export const namesAskedSchema = z.object({
  /** Lookups before this time are not recorded. Null: none are recorded. */
  knownSince: z.number().nullable(),
  /** Most frequent first. Each got an address; whether anything was sent there is not known. */
  names: z.array(nameAskedSchema),
  /** What was refused, most frequent first: a name, also with its port, or an address with its port. */
  refused: z.array(nameAskedSchema.extend({ reason: z.enum(refusedReasons).default('policy') })).default([]),
})
export type NamesAsked = z.infer<typeof namesAskedSchema>

/** Lookups since a time, in milliseconds since 1970, or within the last milliseconds on the host’s clock. */
export const namesQuerySchema = z.object({
  since: z.coerce.number().default(0),
  withinMs: z.coerce.number().optional(),
})
