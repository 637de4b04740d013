import type { ApplicationOptions } from './application.ts'
import type { ThreadParts } from './application-parts.ts'
import type { ConnectionParts } from './connection-parts.ts'
import { tablesOf } from './platform/database/database.ts'
import { threadNotFound } from './threads/log/threads.errors.ts'
import { forkedFromOf } from './threads/threads/threads.presenter.ts'
import { makeQueueStore } from './turns/engine/queue.store.ts'
import { makeTurns, type Turns } from './turns/engine/turns.usecases.ts'
import type { Models } from './turns/models/models.usecases.ts'
import { makeTurnStore } from './turns/record/turns.store.ts'
import type { TurnTables } from './turns/record/turns.table.ts'
import { historyNote } from './workflows/rewinds/history-note.models.ts'
import { rewindUnderWay } from './workflows/rewinds/rewinds.errors.ts'
import { makeRewindStore } from './workflows/rewinds/rewinds.store.ts'
import type { RewindTables } from './workflows/rewinds/rewinds.table.ts'

/** Turns over what threads, models and connections are. */
export function makeTurnPart(
  options: Pick<ApplicationOptions, 'open' | 'blobs' | 'turnSettings' | 'system' | 'logger'>,
  known: {
    parts: ThreadParts
    models: Models
    connectionParts: ConnectionParts
    onTurnEnded: () => void
  },
): Turns {
  const { parts, models } = known
  const turnTables = tablesOf<TurnTables>(options.open.database)
  const store = makeTurnStore(turnTables)
  const rewinds = makeRewindStore(tablesOf<RewindTables>(options.open.database))
  return makeTurns({
    store,
    queue: makeQueueStore(turnTables),
    log: parts.log,
    sandboxes: parts.sandboxes,
    services: parts.services,
    connections: known.connectionParts.agentConnections,
    lifecycle: parts.lifecycle,
    wakeNotes: parts.wakeNotes,
    snapshots: parts.snapshots,
    blobs: options.blobs,
    models,
    threadFacts: async (threadId) => {
      const row = await parts.threadStore.findAny(threadId)
      if (row === undefined || row.deleted_at !== null) return undefined
      const workspace = row.workspace_id === null ? undefined : await parts.workspaces.facts(row.workspace_id)
      return {
        modelId: row.model_id ?? workspace?.modelId ?? null,
        titleSource: row.title_source as 'none' | 'automatic' | 'person',
        instructions: workspace?.instructions ?? '',
        agentInstructions: (await parts.setups.of(row))?.instructions ?? '',
        skills: await parts.skills.ofThread(await parts.setups.placeOf(row)),
      }
    },
    historyNote: async (threadId, before) => {
      const row = await parts.threadStore.findAny(threadId)
      const rewind = await rewinds.newest(threadId)
      const turns = (await store.turnsFrom(threadId, 0)).filter(({ ordinal }) => ordinal < before)
      const rewound = rewind === undefined ? null : { at: rewind.at, cameBack: rewind.came_back ?? 'disk' }
      return historyNote({ turns, forkedFrom: (row && forkedFromOf(row)) ?? null, rewound })
    },
    requireThread: async (threadId) => {
      const row = await parts.threadStore.findAny(threadId)
      if (row === undefined || row.deleted_at !== null) throw threadNotFound({})
    },
    assertCanBegin: async (threadId) => {
      const rewind = await rewinds.newest(threadId)
      if (rewind !== undefined && rewind.state !== 'done') throw rewindUnderWay({})
    },
    onTurnEnded: (turn) => {
      known.onTurnEnded()
      parts.installs.turnEnded(turn).catch((error: unknown) => {
        options.logger.warn({ err: error, threadId: turn.threadId }, 'what a turn installed was not recorded')
      })
    },
    setAutomaticTitle: (threadId, title) => parts.threads.setAutomaticTitle(threadId, title),
    attachmentsOf: (threadId, ids) => parts.attachments.getAll(threadId, ids),
    settings: options.turnSettings,
    system: options.system,
    logger: options.logger,
  })
}
