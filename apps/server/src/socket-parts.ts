import type { ApplicationOptions } from './application.ts'
import { type AuthenticationOptions, authenticateHeaders } from './people/users/authentication.middleware.ts'
import { makeCredentialCheck } from './people/users/credential-check.store.ts'
import type { UserTables } from './people/users/users.table.ts'
import { tablesOf } from './platform/database/database.ts'
import { makeSocketFront, type SocketFront } from './platform/http/socket-front.ts'
import type { TerminalFeature } from './sandboxes/terminals/terminal-feature.ts'
import { streamSocketRoute } from './threads/threads/stream-socket.route.ts'
import type { StreamSources } from './threads/threads/stream-sources.ts'

/** Every WebSocket of the app. */
export function makeSockets(
  options: Pick<ApplicationOptions, 'open' | 'hosts' | 'system' | 'logger'>,
  known: { authentication: AuthenticationOptions; terminals: TerminalFeature; sources: StreamSources },
): SocketFront {
  const { hosts, system, logger } = options
  const holds = makeCredentialCheck(tablesOf<UserTables>(options.open.database))
  return makeSocketFront({
    routes: [known.terminals.socket, streamSocketRoute({ sources: known.sources, holds, system, logger })],
    hosts,
    authenticate: async (headers) => (await authenticateHeaders(known.authentication, headers)).caller,
    logger,
  })
}
