import type { ApplicationOptions } from './application.ts'
import { type AuthenticationOptions, authenticateHeaders } from './people/users/authentication.middleware.ts'
import { makeSocketFront, type SocketFront, type SocketRoute } from './platform/http/socket-front.ts'

/** Every WebSocket of the app. */
export function makeSockets(
  options: Pick<ApplicationOptions, 'hosts' | 'logger'>,
  known: { authentication: AuthenticationOptions; sockets: readonly SocketRoute[] },
): SocketFront {
  return makeSocketFront({
    routes: known.sockets,
    hosts: options.hosts,
    authenticate: async (headers) => (await authenticateHeaders(known.authentication, headers)).caller,
    logger: options.logger,
  })
}
