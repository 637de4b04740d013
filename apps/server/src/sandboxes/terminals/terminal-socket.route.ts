import { terminalCloseCodes } from '@threadbox/protocol/public'
import type { Logger } from '@threadbox/telemetry'
import type { OpenThread } from '../../platform/http/api.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { requestInvalid, requestProblems } from '../../platform/http/http.errors.ts'
import type { OpenVisits } from '../../platform/http/open-visits.ts'
import type { SocketRoute } from '../../platform/http/socket-server.ts'
import { serveView } from './terminal-socket.ts'
import type { SharedTerminalDependencies, Terminals } from './terminals.usecases.ts'
import type { Viewer } from './viewers.ts'

/** The socket to which a view attaches, for a terminal in a thread of this person. */
export function terminalSocketRoute(options: {
  parts: SharedTerminalDependencies
  terminals: Pick<Terminals, 'get'>
  open: OpenThread
  visits: OpenVisits
  logger: Logger
}): SocketRoute {
  const { parts, terminals, open, visits, logger } = options
  return {
    path: /^\/api\/v1\/threads\/([^/]{1,64})\/terminals\/([^/]{1,64})\/socket$/,
    action: 'sandboxes.work',
    // Larger than any allowed message with its escapes.
    maxMessageBytes: 256 * 1024,
    signedOutCode: terminalCloseCodes.loggedOut,
    visits,
    admit: async ({ caller, names, query }) => {
      const [threadId = '', terminalId = ''] = names
      const after = query.get('after') ?? '0'
      if (!/^\d{1,15}$/.test(after)) throw requestInvalid(requestProblems([['after', 'must be a whole number']]))
      await open(caller.userId, threadId)
      await terminals.get(threadId, terminalId)
      return {
        pass: visitorOf(caller, threadId),
        serve: (peer) => serveView(parts, { peer, threadId, terminalId, after: Number(after), logger }),
      }
    },
  }
}

/** The viewer, as the key under which open views are checked again. */
function visitorOf(caller: Caller, threadId: string): string {
  return JSON.stringify({ ...caller, threadId } satisfies Viewer)
}
