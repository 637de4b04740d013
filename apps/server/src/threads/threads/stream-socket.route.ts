import { streamCloseCodes } from '@threadbox/protocol/public'
import type { Logger } from '@threadbox/telemetry'
import type { OpenVisits } from '../../platform/http/open-visits.ts'
import type { SocketRoute } from '../../platform/http/socket-server.ts'
import { serveStreams } from './stream-socket.ts'
import type { StreamSources } from './stream-sources.ts'
import { passOf } from './stream-visits.ts'

/** The socket over which a page follows all of its event streams. It is closed when the session or the key ends. */
export function streamSocketRoute(parts: { sources: StreamSources; visits: OpenVisits; logger: Logger }): SocketRoute {
  const { sources, visits, logger } = parts
  return {
    path: /^\/api\/v1\/events\/socket$/,
    action: 'threads.read',
    // A longer message ends the socket; a shorter one that is still too long gets an error.
    maxMessageBytes: 256 * 1024,
    signedOutCode: streamCloseCodes.signedOut,
    visits,
    admit: async ({ caller }) => ({
      pass: passOf(caller),
      serve: (peer) => serveStreams({ sources, logger }, { peer, caller }),
    }),
  }
}
