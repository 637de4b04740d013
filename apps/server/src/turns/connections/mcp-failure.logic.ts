import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError, UnauthorizedError } from '@modelcontextprotocol/client'
import { isThreadboxError, type ThreadboxError } from '@threadbox/errors'
import {
  connectionAnswerInvalid,
  connectionHttpFailed,
  connectionRefused,
  connectionTimedOut,
  connectionUnauthorized,
  connectionUnreachable,
} from './connections.errors.ts'
import { type ProblemCode, problemOf } from './problem-words.logic.ts'

/** A server's text is passed on only as far as it can help. */
const maxProblemCharacters = 500

/**
 * A failure of a server as a `ThreadboxError`. Texts of libraries are not passed on, because they can contain parts of
 * requests; those of the server are, shortened and without secrets. Returns undefined for a defect of threadbox.
 */
export function connectionFailureOf(
  error: unknown,
  options: { timeoutSeconds: number; redact: (text: string) => string },
): ThreadboxError | undefined {
  const known = causes(error).find(isThreadboxError)
  if (known !== undefined) return known
  if (error instanceof UnauthorizedError) return connectionUnauthorized({ status: 401 })
  if (SdkHttpError.isInstance(error)) return httpFailure(error.status)
  if (ProtocolError.isInstance(error)) {
    return connectionRefused({ problem: options.redact(error.message).slice(0, maxProblemCharacters) })
  }
  const code = causes(error)
    .map(networkCodeOf)
    .find((name) => name !== undefined)
  if (code !== undefined) return networkFailure(code, options.timeoutSeconds)
  if (SdkError.isInstance(error)) return sdkFailure(error, options.timeoutSeconds)
  if (isAbort(error)) return connectionTimedOut({ seconds: options.timeoutSeconds })
  if (error instanceof SyntaxError) return connectionAnswerInvalid(problemOf('not-json'))
  if (error instanceof TypeError) return connectionUnreachable(problemOf('connection-lost'))
  if (error instanceof Error && error.name === 'ZodError') {
    return connectionAnswerInvalid(problemOf('other-schema'))
  }
  return undefined
}

function httpFailure(status: number): ThreadboxError {
  return status === 401 || status === 403 ? connectionUnauthorized({ status }) : connectionHttpFailed({ status })
}

function sdkFailure(error: SdkError, seconds: number): ThreadboxError {
  switch (error.code) {
    case SdkErrorCode.RequestTimeout:
      return connectionTimedOut({ seconds })
    case SdkErrorCode.ConnectionClosed:
    case SdkErrorCode.NotConnected:
    case SdkErrorCode.SendFailed:
      return connectionUnreachable(problemOf('connection-lost'))
    case SdkErrorCode.CapabilityNotSupported:
    case SdkErrorCode.MethodNotSupportedByProtocolVersion:
    case SdkErrorCode.InputRequiredRoundsExceeded:
      return connectionAnswerInvalid(problemOf('unsupported-feature'))
    case SdkErrorCode.ListPaginationExceeded:
      return connectionAnswerInvalid(problemOf('endless-tools'))
    default:
      return connectionAnswerInvalid(problemOf('other-schema'))
  }
}

const networkProblems: Record<string, ProblemCode> = {
  ENOTFOUND: 'hostname-unknown',
  EAI_AGAIN: 'hostname-unresolved',
  ECONNREFUSED: 'connection-refused',
  ECONNRESET: 'connection-lost',
  EHOSTUNREACH: 'no-route',
  ENETUNREACH: 'no-route',
  UND_ERR_SOCKET: 'connection-lost',
  UND_ERR_CONNECT_TIMEOUT: 'timed-out',
  ETIMEDOUT: 'timed-out',
  CERT_HAS_EXPIRED: 'certificate-expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate-self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate-self-signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate-unverified',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate-other-host',
  UND_ERR_HEADERS_OVERFLOW: 'headers-too-large',
  UND_ERR_RESPONSE_EXCEEDED_SIZE: 'response-too-large',
}

function networkFailure(code: string, seconds: number): ThreadboxError {
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT') return connectionTimedOut({ seconds })
  return connectionUnreachable(problemOf(networkProblems[code] ?? 'connection-failed', code))
}

/** Codes of the operating system, TLS and the HTTP client. Codes of the SDK have the same form and are excluded. */
function networkCodeOf(error: unknown): string | undefined {
  if (SdkError.isInstance(error)) return undefined
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,60}$/.test(code) ? code : undefined
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError')
}

function causes(error: unknown): unknown[] {
  const found: unknown[] = []
  for (let cause = error; cause instanceof Error && found.length < 10; cause = cause.cause) {
    found.push(cause)
    if (cause instanceof AggregateError) found.push(...cause.errors.slice(0, 5))
  }
  return found
}
