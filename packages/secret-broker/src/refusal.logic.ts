import { httpStatusOf, isThreadboxError, type ThreadboxError, toWireError } from '@threadbox/errors'
import { secretHostUnreachable, secretNotReady, secretWrongHost } from './broker.errors.ts'

/** A request was sent to a server that isn’t responsible for it (RFC 9110, 15.5.20). */
const misdirected = 421

export type Refusal = {
  error: ThreadboxError
  /** False for a failure that isn’t one of the broker’s own refusals. */
  isRefusal: boolean
  status: number
  headers: Record<string, string>
  body: string
}

/** The response that says why a request was refused. */
export function refusalFor(error: unknown): Refusal {
  const isRefusal = isThreadboxError(error)
  const known: ThreadboxError = isRefusal
    ? error
    : secretHostUnreachable({ host: 'the host', reason: 'the connection was closed' }, { cause: error })
  const body = `${JSON.stringify(toWireError(known))}\n`
  return {
    error: known,
    isRefusal,
    status: known.code === secretWrongHost.code ? misdirected : httpStatusOf(known),
    headers: {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'cache-control': 'no-store',
      ...(known.code === secretNotReady.code ? { 'retry-after': '1' } : {}),
    },
    body,
  }
}
