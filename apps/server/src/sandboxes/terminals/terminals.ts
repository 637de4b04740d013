import type { Logger } from '@threadbox/telemetry'
import type { CredentialCheck, UserHub } from '../../people/public.ts'
import { type OpenDatabase, tablesOf } from '../../platform/database/database.ts'
import type { Api, OpenThread } from '../../platform/http/api.ts'
import { makeOpenVisits } from '../../platform/http/open-visits.ts'
import type { SocketRoute } from '../../platform/http/socket-server.ts'
import type { System } from '../../platform/system/system.ts'
import type { SandboxFacts } from '../services/services.logic.ts'
import type { Sandboxes } from '../state/sandbox-access.implementation.ts'
import { terminalSocketRoute } from './terminal-socket.route.ts'
import { terminalRoutes } from './terminals.routes.ts'
import { makeTerminalStore } from './terminals.store.ts'
import { makeSharedTerminalDependencies, makeTerminals, type Terminals } from './terminals.usecases.ts'
import { makeMaySee, type Viewer, type ViewersThreads } from './viewers.ts'

export type TerminalsFeature = {
  terminals: Terminals
  socket: SocketRoute
  routes: Api
  /** Call it when the state of this thread’s sandbox has changed. */
  sandboxChanged(threadId: string): void
}

/** Terminals, and the socket through which people see them. */
export function makeTerminalsFeature(options: {
  open: OpenDatabase
  openThread: OpenThread
  sandboxes: Pick<Sandboxes, 'awake' | 'ifAwake'>
  factsOf: (threadId: string) => Promise<SandboxFacts | undefined>
  threads: ViewersThreads & { readersOf(threadId: string): Promise<string[]> }
  holds: CredentialCheck
  userHub: UserHub
  system: System
  logger: Logger
}): TerminalsFeature {
  const { sandboxes, system, logger } = options
  const store = makeTerminalStore(tablesOf(options.open.database))
  const parts = makeSharedTerminalDependencies({
    store,
    system,
    logger,
    awake: (threadId, signal) =>
      sandboxes.awake(threadId, { reason: 'terminal', ...(signal === undefined ? {} : { signal }) }),
    ifAwake: (threadId) => sandboxes.ifAwake(threadId),
    sandboxOf: options.factsOf,
    readersOf: options.threads.readersOf,
    publish: (userId, event) => options.userHub.publish(userId, event),
  })
  const terminals = makeTerminals(parts)
  const maySee = makeMaySee({ ...options.threads, holds: options.holds })
  const stillValid = async (visitors: readonly string[]) => {
    const now = system.now()
    const judged = await Promise.all(
      visitors.map(async (visitor) => ((await maySee(JSON.parse(visitor) as Viewer, now)) ? [visitor] : [])),
    )
    return new Set(judged.flat())
  }
  return {
    terminals,
    routes: terminalRoutes({ terminals, open: options.openThread }),
    socket: terminalSocketRoute({
      parts,
      terminals,
      logger,
      open: options.openThread,
      visits: makeOpenVisits({ stillValid, logger }),
    }),
    sandboxChanged: (threadId) => {
      const quietly = async () => {
        parts.changes.notify(threadId)
        if ((await store.list(threadId)).length > 0) await parts.changed(threadId)
      }
      quietly().catch((error: unknown) => logger.warn({ err: error, threadId }, 'terminals were not told of a change'))
    },
  }
}
