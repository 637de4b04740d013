import type { ApplicationOptions } from './application.ts'
import { type AuthenticationOptions, authenticateHeaders } from './people/users/authentication.middleware.ts'
import { makeSocketFront, type SocketFront } from './platform/http/socket-front.ts'
import type { TerminalFeature } from './sandboxes/terminals/terminal-feature.ts'

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
