import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ConnectRouter } from '@connectrpc/connect'
import { connectNodeAdapter } from '@connectrpc/connect-node'
import { accessTokenHeader } from '@threadbox/protocol/guest'
import type { Logger } from '@threadbox/telemetry'
import type { GuestState } from './guest-state.ts'
import { routeUnknown, sendError } from './http.ts'
import { rpcErrorInterceptor } from './rpc-errors.ts'

export type Route = {
  method: string
  path: string | RegExp
  /** `open` routes check access on their own; all others require the access token. */
  access: 'open' | 'token'
  handle(request: IncomingMessage, response: ServerResponse): Promise<void> | void
}

/** Returns the path of a request without its query. */
export function pathOf(request: IncomingMessage): string {
  return (request.url ?? '/').split('?')[0] ?? '/'
}

/**
 * One HTTP/1.1 server: plain routes first, then Connect services. Every request except those to open routes must carry
 * the access token, whether its path exists or not.
 */
export function makeHttpServer(options: {
  routes: Route[]
  services?: (router: ConnectRouter) => void
  state: GuestState
  /** Called with each request that can start a program, before it is handled. */
  onAction: () => void
  logger: Logger
}): Server {
  const { routes, services, state, onAction, logger } = options
  const rpc =
    services === undefined
      ? undefined
      : connectNodeAdapter({
          routes: services,
          interceptors: [rpcErrorInterceptor(logger)],
          fallback: (request, response) =>
            sendError(response as ServerResponse, { error: routeUnknown({ path: request.url ?? '/' }), logger }),
        })
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = pathOf(request)
    const route = routes.find((candidate) => candidate.method === request.method && matches(candidate, path))
    if (route?.access !== 'open') state.checkToken(headerOf(request, accessTokenHeader))
    if (request.method !== 'GET') onAction()
    if (route !== undefined) await route.handle(request, response)
    else if (rpc !== undefined) rpc(request, response)
    else throw routeUnknown({ path })
  }
  const server = createServer((request, response) => {
    answer(request, response).catch((error) => sendError(response, { error, logger }))
  })
  // Streams live as long as what they show; uploads can be slow.
  server.requestTimeout = 0
  server.headersTimeout = 60_000
  // Longer than the gateway keeps connections, so that the gateway never sends on a closing one.
  server.keepAliveTimeout = 120_000
  return server
}

function matches(route: Route, path: string): boolean {
  return typeof route.path === 'string' ? route.path === path : route.path.test(path)
}

/** Closes every connection of a server except one: the other ends no longer listen. */
export function trackConnections(): { closeExcept(connection: Socket): void; watch(server: Server): void } {
  const open = new Set<Socket>()
  return {
    watch: (server) => {
      server.on('connection', (socket) => {
        open.add(socket)
        socket.once('close', () => open.delete(socket))
      })
    },
    closeExcept: (connection) => {
      for (const socket of open) if (socket !== connection) socket.destroy()
    },
  }
}

export function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value[0] : value
}
