import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { listenOnUnixSocket } from '@threadbox/daemon'
import { defineError, httpStatusOf, isThreadboxError, toWireError, withKnownCause } from '@threadbox/errors'
import { hostTokenHeader } from '@threadbox/protocol/host'
import type { Logger } from '@threadbox/telemetry'
import { Hono } from 'hono'

export const tokenWrong = defineError({
  code: 'host.token-wrong',
  kind: 'unauthenticated',
  message: () => 'The request’s host token is missing or wrong.',
  remedy: () => 'Use the same token file for the server and the host daemon.',
})

export const pathUnknown = defineError<{ path: string }>({
  code: 'host.path-unknown',
  kind: 'not-found',
  message: ({ path }) => `The host daemon has no route ${path}.`,
  remedy: () => 'Use the same version of server and host daemon.',
})

export const socketTaken = defineError<{ path: string }>({
  code: 'host.socket-taken',
  kind: 'conflict',
  message: ({ path }) => `Another host daemon is already running at ${path}.`,
  remedy: () => 'Stop it, or use another data directory.',
})

/** Handles orders and questions with `serve`. Errors become responses in one place. */
export function makeOrdersApp(options: {
  serve: (request: Request) => Promise<Response | undefined>
  logger: Logger
}): Hono {
  const { serve, logger } = options
  const app = new Hono()
  app.use(async (context, next) => (await serve(context.req.raw)) ?? (await next()))
  app.notFound((context) => {
    throw pathUnknown({ path: context.req.path })
  })
  app.onError((thrown, context) => {
    const error = withKnownCause(thrown)
    const requestId = crypto.randomUUID()
    const isExpected = isThreadboxError(error) && error.kind !== 'internal'
    logger[isExpected ? 'info' : 'error']({ err: error, requestId, path: context.req.path }, 'a request was refused')
    const status = httpStatusOf(error) as 500
    return context.json(toWireError(error, isExpected ? undefined : requestId), status)
  })
  return app
}

/**
 * One HTTP server on one address. Every request must carry `token`; undefined on the unix socket, whose file mode is the
 * guard.
 */
export function makeHostServer(options: { app: Hono; token: string | undefined }): Server {
  const { app, token } = options
  const toApp = getRequestListener(app.fetch)
  const mayPass = (presented: string | string[] | undefined) =>
    token === undefined || (typeof presented === 'string' && isSame(presented, token))
  const server = createServer((request, response) => {
    if (!mayPass(request.headers[hostTokenHeader])) {
      const error = tokenWrong({})
      response.writeHead(httpStatusOf(error), { 'content-type': 'application/json', connection: 'close' })
      response.end(JSON.stringify(toWireError(error)))
      return
    }
    void toApp(request, response)
  })
  // Streams live as long as what they show, and uploads can take any time.
  server.requestTimeout = 0
  server.timeout = 0
  server.keepAliveTimeout = 75_000
  return server
}

/** Listens on a unix socket that only root and one group can use. */
export async function listenOnSocket(server: Server, options: { path: string; groupId: number }): Promise<void> {
  await listenOnUnixSocket(server, { ...options, mode: 0o660, taken: socketTaken })
}

export async function listenOnAddress(server: Server, address: string): Promise<void> {
  const separator = address.lastIndexOf(':')
  const host = address.slice(0, separator).replace(/^\[|\]$/g, '')
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen({ host, port: Number(address.slice(separator + 1)) }, resolve)
  await promise
  server.off('error', reject)
}

/** Compares in a time that does not depend on where the texts differ. */
function isSame(left: string, right: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(left), digest(right))
}
