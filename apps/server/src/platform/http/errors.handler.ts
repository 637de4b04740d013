import { httpStatusOf, isThreadboxError, toWireError, withKnownCause } from '@threadbox/errors'
import type { ErrorHandler } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { routePath } from 'hono/route'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { ApiEnv } from './api.ts'
import { requestInvalid, requestNotJson, requestProblems } from './http.errors.ts'

/** The only place that turns an error into a response. */
export const answerError: ErrorHandler<ApiEnv> = (thrown, context) => {
  const error = withKnownCause(translate(thrown))
  const requestId = context.get('requestId')
  if (!isThreadboxError(error) || error.kind === 'internal') {
    // The path itself can contain a secret, such as a share link.
    const route = `${context.req.method} ${routePath(context, -1)}`
    context.get('logger').error({ err: thrown, requestId, route }, 'request failed unexpectedly')
  }
  const wire = toWireError(error, requestId)
  context.set('errorCode', wire.error.code)
  const retryAfterSeconds = isThreadboxError(error) ? error.details.retryAfterSeconds : undefined
  return context.json(wire, httpStatusOf(error) as ContentfulStatusCode, {
    'cache-control': 'no-store',
    ...(typeof retryAfterSeconds === 'number' ? { 'retry-after': String(Math.ceil(retryAfterSeconds)) } : {}),
  })
}

/** Errors of the router as `ThreadboxError`s. */
function translate(error: Error): Error {
  if (!(error instanceof HTTPException)) return error
  if (error.status === 400) return requestNotJson({}, { cause: error })
  if (error.status < 500) return requestInvalid(requestProblems([['', error.message || `status ${error.status}`]]))
  return error
}
