import type { ApplicationOptions } from './application.ts'
import { makeSocketFront, type SocketFront } from './http/socket-front.ts'
import type { TerminalFeature } from './terminals/terminal-feature.ts'
import { type AuthenticationOptions, authenticateHeaders } from './users/authentication.middleware.ts'

/** Every WebSocket of the app. */
export function makeSockets(
  options: Pick<ApplicationOptions, 'hosts' | 'logger'>,
  known: { authentication: AuthenticationOptions; terminals: TerminalFeature },
): SocketFront {
  return makeSocketFront({
    routes: [known.terminals.socket],
    hosts: options.hosts,
    authenticate: async (headers) => (await authenticateHeaders(known.authentication, headers)).caller,
    logger: options.logger,
  })
}
