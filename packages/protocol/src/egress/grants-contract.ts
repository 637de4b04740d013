import { z } from 'zod'
import { type ApiOf, call, nothing } from '../host/contract-call.ts'

/** Where in a request a placeholder is replaced. */
export const secretPositions = ['header', 'query', 'body', 'path'] as const

/** One secret as one sandbox can use it. */
export const grantSchema = z.object({
  secretId: z.string(),
  /** For messages and logs; the value never is. */
  name: z.string(),
  placeholder: z.string(),
  /** Without line breaks and NUL. */
  value: z.string(),
  /** Names without wildcards: `name`, for port 443, or `name:port`. */
  hosts: z.array(z.string()),
  /** `header` includes the decoded text of Basic authentication. */
  positions: z.array(z.enum(secretPositions)),
  /** Null: all. */
  methods: z.array(z.string()).nullable(),
  pathPrefix: z.string().nullable(),
  /** Sets this header to `prefix` and the value, without a placeholder in the request. */
  header: z.object({ name: z.string(), prefix: z.string() }).nullable(),
})
export type Grant = z.infer<typeof grantSchema>

export const sandboxGrantsSchema = z.object({
  sandboxId: z.string(),
  /** Rises with each change. An order with an earlier revision than the last one changes nothing. */
  revision: z.number().int(),
  grants: z.array(grantSchema),
})
export type SandboxGrants = z.infer<typeof sandboxGrantsSchema>

export const grantsEventSchema = z.discriminatedUnion('type', [
  /**
   * The first event of a stream, with the certificate (PEM) of the authority that sandboxes must trust. A process that
   * has just started knows no grants.
   */
  z.object({ type: z.literal('opened'), authority: z.string() }),
  /** A request to a host that has secrets. `path`: without the query. */
  z.object({
    type: z.literal('used'),
    sandboxId: z.string(),
    /** Null: the request had no placeholder. */
    secretId: z.string().nullable(),
    host: z.string(),
    method: z.string(),
    path: z.string(),
    status: z.number().int().nullable(),
    /** The code of the error with which the request was refused. */
    refused: z.string().nullable(),
    at: z.number().int(),
  }),
  z.object({ type: z.literal('keepalive') }),
])
export type GrantsEvent = z.infer<typeof grantsEventSchema>

const ids = { sandboxId: 'sandbox' } as const

/** What the server can order from the egress process: which secrets are inserted where. They are kept in memory only. */
export const grantsContract = {
  events: call('GET', '/v1/events', { response: { line: grantsEventSchema } }),
  /** Replaces the grants of a sandbox. Responds, with the revision that applies, after requests with removed ones have ended. */
  setGrants: call('PUT', '/v1/grants', {
    body: sandboxGrantsSchema,
    ids,
    response: z.object({ revision: z.number().int() }),
  }),
  /** Forgets the grants of a sandbox. Responds after its requests to hosts with secrets have ended. */
  removeGrants: call('POST', '/v1/grants/remove', {
    body: z.object({ sandboxId: z.string() }),
    ids,
    response: nothing,
  }),
} as const

export type GrantsApi = ApiOf<typeof grantsContract>
