import { createRoute, OpenAPIHono, type RouteConfig, z } from '@hono/zod-openapi'
import { type Action, type ActionRequirement, actions } from '@threadbox/domain'
import { wireErrorSchema } from '@threadbox/errors'
import type { Logger } from '@threadbox/telemetry'
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { setActingAction } from './acting-request.ts'
import type { Caller } from './caller.ts'
import { requestInvalid, requestProblems } from './http.errors.ts'

export type Authorize = (action: Action) => Promise<void>

export type ApiEnv = {
  Variables: {
    requestId: string
    /** The address of the client, without the proxies on the way. */
    clientAddress: string
    logger: Logger
    /** Aborted when the server stops: endless responses must end. */
    stopping: AbortSignal
    /** Set by the authentication middleware for every route that isn't public. */
    caller: Caller
    /** Headers of a request with a session, with only the session's cookie of that name. */
    loginHeaders: Headers
    /**
     * Throws unless the sender can do this: `auth.scope-missing`, `auth.session-required`, `auth.confirmation-required`.
     */
    authorize: Authorize
    /** The code of the error that is the response. */
    errorCode: string | undefined
  }
}
export type ApiContext = Context<ApiEnv>
export type Api = OpenAPIHono<ApiEnv>

/** Creates a group of routes. A request that doesn't match a route's schema throws `request.invalid`. */
export function makeApi(): Api {
  return new OpenAPIHono<ApiEnv>({
    defaultHook: (result) => {
      if (result.success) return
      const issues = result.error.issues.slice(0, 20)
      const fields = issues.map(({ path }) => path.join('.') || result.target)
      throw requestInvalid(requestProblems(fields.map((field, index) => [field, issues[index]?.message ?? ''])))
    },
  })
}

/**
 * Declares a route of the public API. Its action decides which senders get through before anything of the request is
 * read, and is in the OpenAPI document. Adds the failures that any route can have, all with the same body.
 */
export function defineRoute<Path extends string, Config extends Omit<RouteConfig, 'path' | 'security'>>({
  action,
  ...config
}: Config & { path: Path; action: Action }) {
  const requirement: ActionRequirement = actions[action]
  const guard = createMiddleware<ApiEnv>(async (context, next) => {
    setActingAction(action)
    if (requirement !== 'nothing') await context.get('authorize')(action)
    await next()
  })
  const responses: Config['responses'] = {
    ...config.responses,
    default: {
      description: 'The request failed. The code gives the reason.',
      content: { 'application/json': { schema: wireErrorSchema.meta({ id: 'Error' }) } },
    },
  }
  const secured = { 'x-threadbox-action': action, security: securityOf(requirement), middleware: guard }
  return createRoute({ ...config, ...secured, responses } as unknown as Config & {
    path: Path
    getRoutingPath(): string
  })
}

/** The senders of a request: a key with this scope, or a session, in some cases one that was confirmed recently. */
function securityOf(requirement: ActionRequirement): Record<string, string[]>[] {
  if (requirement === 'nothing') return []
  if (requirement === 'session') return [{ session: [] }]
  if (requirement === 'confirmed') return [{ session: ['confirmed'] }]
  return [{ apiKey: [requirement] }, { session: [] }]
}

/** A JSON response of a route. */
export function jsonAnswer<Schema extends z.ZodType>(schema: Schema, description: string) {
  return { description, content: { 'application/json': { schema } } }
}

/** A JSON body of a request. */
export function jsonBody<Schema extends z.ZodType>(schema: Schema) {
  return { required: true, content: { 'application/json': { schema } } }
}

/** An id in a path: any plausible value; the use case checks whether it exists. */
export const idParam = z.string().min(1).max(64)
export const threadParams = z.object({ threadId: idParam })

/** A whole number in a query, in digits only: `0x10`, `1e3` and `1.0` are rejected, as is a number out of range. */
export function wholeNumberQuery(limits: { min: number; max: number }) {
  return z
    .string()
    .regex(/^\d{1,16}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().int().min(limits.min).max(limits.max))
    .openapi({ type: 'integer', minimum: limits.min, maximum: limits.max })
}

/** Limit of items in a list. */
export function countQuery(limits: { default: number; max: number }) {
  return wholeNumberQuery({ min: 1, max: limits.max }).default(limits.default)
}

/**
 * Throws `thread.not-found` unless this user can see the thread, and `workspace.role-missing` unless their role allows what
 * the request does.
 */
export type OpenThread = (userId: string, threadId: string) => Promise<unknown>

/** Returns a function that every route below a thread first calls: it checks that the caller can do this with the thread. */
export function threadOpener(open: OpenThread) {
  return async (context: Pick<ApiContext, 'get'>, threadId: string): Promise<string> => {
    await open(context.get('caller').userId, threadId)
    return threadId
  }
}
