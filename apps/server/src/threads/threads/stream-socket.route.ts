import { streamCloseCodes } from '@threadbox/protocol/public'
import type { Logger } from '@threadbox/telemetry'
import type { CredentialCheck } from '../../people/public.ts'
import type { Caller } from '../../platform/http/api.ts'
import { makeOpenVisits } from '../../platform/http/open-visits.ts'
import type { SocketRoute } from '../../platform/http/socket-front.ts'
import type { System } from '../../platform/system/system.ts'
import { serveStreams } from './stream-socket.ts'
import type { StreamSources } from './stream-sources.ts'

/** Where a page follows all its event streams. It is closed when the session or the key ends. */
export function streamSocketRoute(parts: {
  sources: StreamSources
  holds: CredentialCheck
  system: System
  logger: Logger
}): SocketRoute {
  const { sources, holds, system, logger } = parts
  const stillValid = async (passes: readonly string[]) => {
    const now = system.now()
    const checked = await Promise.all(
      passes.map(async (pass) => ((await holds(JSON.parse(pass) as Caller, now)) ? [pass] : [])),
    )
    return new Set(checked.flat())
  }
  return {
    path: /^\/api\/v1\/events\/socket$/,
    // Longer messages end the socket; those below it that are too long are answered.
    maxMessageBytes: 256 * 1024,
    signedOutCode: streamCloseCodes.signedOut,
    visits: makeOpenVisits({ stillValid, logger }),
    admit: async ({ caller }) => {
      const { userId, sessionId, apiKeyId } = caller
      return {
        pass: JSON.stringify({ userId, sessionId, apiKeyId }),
        serve: (peer) => serveStreams({ sources, logger }, { peer, userId }),
      }
    },
  }
}
