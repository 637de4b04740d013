import { z } from 'zod'
import { type ErrorKind, errorKinds } from './kinds.ts'
import { isThreadboxError, ThreadboxError } from './threadbox-error.ts'

const kinds = Object.keys(errorKinds) as [ErrorKind, ...ErrorKind[]]

/** The body of every failed response, on the public API and between threadbox’s processes. */
export const wireErrorSchema = z.object({
  error: z.object({
    code: z.string(),
    kind: z.enum(kinds),
    message: z.string(),
    remedy: z.string(),
    details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())])),
    /** Links this response to the log line that explains it; always set for `internal`. */
    requestId: z.string().optional(),
  }),
})
export type WireError = z.infer<typeof wireErrorSchema>

/** The public shape of any thrown value. Unknown errors become `internal.unexpected` and reveal nothing. */
export function toWireError(error: unknown, requestId?: string): WireError {
  const known = isThreadboxError(error)
    ? error
    : new ThreadboxError({
        code: 'internal.unexpected',
        kind: 'internal',
        message: 'Something went wrong.',
        remedy: 'Try again. If it happens again, search `threadbox logs` for the request ID.',
      })
  return {
    error: {
      code: known.code,
      kind: known.kind,
      message: known.message,
      remedy: known.remedy,
      details: known.details,
      ...(requestId === undefined ? {} : { requestId }),
    },
  }
}

/** Converts a received error body to the error that was thrown on the other side; undefined if it is not one. */
export function fromWireError(body: unknown): ThreadboxError | undefined {
  const parsed = wireErrorSchema.safeParse(body)
  return parsed.success ? new ThreadboxError(parsed.data.error) : undefined
}
