import { Code, ConnectError, type Interceptor } from '@connectrpc/connect'
import { type ErrorKind, isThreadboxError } from '@threadbox/errors'
import { guestErrorHeader } from '@threadbox/protocol/guest'
import type { Logger } from '@threadbox/telemetry'

const codeOfKind = {
  'not-found': Code.NotFound,
  conflict: Code.AlreadyExists,
  invalid: Code.InvalidArgument,
  'too-large': Code.InvalidArgument,
  unauthenticated: Code.Unauthenticated,
  forbidden: Code.PermissionDenied,
  exhausted: Code.ResourceExhausted,
  'out-of-space': Code.ResourceExhausted,
  unavailable: Code.Unavailable,
  interrupted: Code.Unavailable,
  unsupported: Code.Unimplemented,
  internal: Code.Internal,
} as const satisfies Record<ErrorKind, Code>

/** Turns errors thrown by services into Connect errors; unknown ones are logged and reveal nothing. */
export function rpcErrorInterceptor(logger: Logger): Interceptor {
  const translate = (error: unknown) => {
    if (error instanceof ConnectError) return error
    if (isThreadboxError(error)) {
      return new ConnectError(error.message, codeOfKind[error.kind], { [guestErrorHeader]: error.code })
    }
    logger.error({ err: error }, 'rpc failed unexpectedly')
    return new ConnectError('Something went wrong inside the sandbox.', Code.Internal)
  }
  return (next) => async (request) => {
    try {
      const response = await next(request)
      return response.stream ? { ...response, message: translated(response.message, translate) } : response
    } catch (error) {
      throw translate(error)
    }
  }
}

async function* translated<Message>(messages: AsyncIterable<Message>, translate: (error: unknown) => unknown) {
  try {
    yield* messages
  } catch (error) {
    throw translate(error)
  }
}
