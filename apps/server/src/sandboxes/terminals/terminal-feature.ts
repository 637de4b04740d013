import type { SandboxState } from '@threadbox/domain'
import type { Logger } from '@threadbox/telemetry'
import type { UserHub } from '../../people/users/user-hub.ts'
import { type OpenDatabase, tablesOf } from '../../platform/database/database.ts'
import type { OpenThread } from '../../platform/http/api.ts'
import { makeOpenVisits } from '../../platform/http/open-visits.ts'
import type { SocketRoute } from '../../platform/http/socket-front.ts'
import type { System } from '../../platform/system/system.ts'
import type { ThreadStore } from '../../threads/log/threads.store.ts'
import type { Sandboxes } from '../state/sandbox-access.implementation.ts'
import type { SandboxStore } from '../state/sandboxes.store.ts'
import { terminalSocketRoute } from './terminal-socket.route.ts'
import { makeTerminalStore, type Viewer } from './terminals.store.ts'
import { makeTerminalParts, makeTerminals, type Terminals } from './terminals.usecases.ts'

export type TerminalFeature = {
  terminals: Terminals
  socket: SocketRoute
  /** The sandbox of this thread is in another state. */
  sandboxChanged(threadId: string): void
}

/** Terminals: which there are, and the door through which they are seen. */
export function makeTerminalFeature(options: {
  open: OpenDatabase
  openThread: OpenThread
  sandboxes: Pick<Sandboxes, 'awake' | 'ifAwake'>
  sandboxStore: Pick<SandboxStore, 'find'>
  threadStore: Pick<ThreadStore, 'findAny'>
  userHub: UserHub
  system: System
  logger: Logger
}): TerminalFeature {
  const { sandboxes, sandboxStore, threadStore, system, logger } = options
  const store = makeTerminalStore(tablesOf(options.open.database))
  const parts = makeTerminalParts({
    store,
    system,
    logger,
    awake: (threadId, signal) =>
      sandboxes.awake(threadId, { reason: 'terminal', ...(signal === undefined ? {} : { signal }) }),
    ifAwake: (threadId) => sandboxes.ifAwake(threadId),
    sandboxOf: async (threadId) => {
      const row = await sandboxStore.find(threadId)
      return row && { state: row.state as SandboxState, bootId: row.boot_id, since: row.since }
    },
    ownerOf: async (threadId) => {
      const row = await threadStore.findAny(threadId)
      return row?.deleted_at === null ? row.user_id : undefined
    },
    publish: (userId, event) => options.userHub.publish(userId, event),
  })
  const terminals = makeTerminals(parts)
  const stillValid = async (visitors: readonly string[]) => {
    const now = system.now()
    const judged = await Promise.all(
      visitors.map(async (visitor) => ((await store.maySee(JSON.parse(visitor) as Viewer, now)) ? [visitor] : [])),
    )
    return new Set(judged.flat())
  }
  return {
    terminals,
    socket: terminalSocketRoute({
      parts,
      terminals,
      logger,
      open: options.openThread,
      visits: makeOpenVisits({ stillValid, logger }),
    }),
    sandboxChanged: (threadId) => {
      const quietly = async () => {
        parts.changes.tell(threadId)
        if ((await store.list(threadId)).length > 0) await parts.changed(threadId)
      }
      quietly().catch((error: unknown) => logger.warn({ err: error, threadId }, 'terminals were not told of a change'))
    },
  }
}
