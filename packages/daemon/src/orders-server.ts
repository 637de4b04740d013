import { createServer, type Server } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { type ErrorDefinition, httpStatusOf, isThreadboxError, toWireError, withKnownCause } from '@threadbox/errors'
import type { Logger } from '@threadbox/telemetry'

export type OrdersServerOptions = {
  /** Returns nothing for a request that is none of its orders. */
  serve: (request: Request) => Promise<Response | undefined>
  pathUnknown: ErrorDefinition<{ path: string }>
  logger: Logger
}

/** Serves orders of other processes of this installation. Errors become responses. */
export function makeOrdersServer(options: OrdersServerOptions): Server {
  return lasting(createServer(getRequestListener((request) => respond(request, options))))
}

async function respond(request: Request, { serve, pathUnknown, logger }: OrdersServerOptions): Promise<Response> {
  const path = new URL(request.url).pathname
  try {
    const response = await serve(request)
    if (response !== undefined) return response
    throw pathUnknown({ path })
  } catch (thrown) {
    const error = withKnownCause(thrown)
    const isExpected = isThreadboxError(error) && error.kind !== 'internal'
    const requestId = crypto.randomUUID()
    logger[isExpected ? 'debug' : 'error']({ err: error, requestId, path }, 'an order was refused')
    return Response.json(toWireError(error, isExpected ? undefined : requestId), { status: httpStatusOf(error) })
  }
}

/** Streams live as long as what they show, and uploads can take any time. */
export function lasting(server: Server): Server {
  server.requestTimeout = 0
  server.timeout = 0
  server.keepAliveTimeout = 75_000
  return server
}
