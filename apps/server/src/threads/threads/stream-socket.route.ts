import { streamCloseCodes } from '@threadbox/protocol/public'
import type { Logger } from '@threadbox/telemetry'
import type { OpenVisits } from '../../platform/http/open-visits.ts'
import type { SocketRoute } from '../../platform/http/socket-front.ts'
import { serveStreams } from './stream-socket.ts'
import type { StreamSources } from './stream-sources.ts'
import { passOf } from './stream-visits.ts'

/** Where a page follows all its event streams. It is closed when the session or the key ends. */
export function streamSocketRoute(parts: { sources: StreamSources; visits: OpenVisits; logger: Logger }): SocketRoute {
  const { sources, visits, logger } = parts
  return {
    path: /^\/api\/v1\/events\/socket$/,
    // Longer messages end the socket; those below it that are too long are answered.
    maxMessageBytes: 256 * 1024,
    signedOutCode: streamCloseCodes.signedOut,
    visits,
    admit: async ({ caller }) => ({
      pass: passOf(caller),
      serve: (peer) => serveStreams({ sources, logger }, { peer, userId: caller.userId }),
    }),
  }
}
