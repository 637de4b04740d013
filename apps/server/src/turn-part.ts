import type { ApplicationOptions } from './application.ts'
import type { ThreadParts } from './application-parts.ts'
import type { ConnectionParts } from './connection-parts.ts'
import { tablesOf } from './database/database.ts'
import { forkNoteOf } from './forks/fork-note.ts'
import type { Models } from './models/models.usecases.ts'
import { forkedFromOf } from './threads/threads.presenter.ts'
import { makeQueueStore } from './turns/queue.store.ts'
import { makeTurnStore } from './turns/turns.store.ts'
import type { TurnTables } from './turns/turns.table.ts'
import { makeTurns, type Turns } from './turns/turns.usecases.ts'

/** Turns over what threads, models and connections are. */
export function makeTurnPart(
  options: Pick<ApplicationOptions, 'open' | 'blobs' | 'turnSettings' | 'system' | 'logger'>,
  known: { parts: ThreadParts; models: Models; connectionParts: ConnectionParts },
): Turns {
  const { parts, models } = known
  const turnTables = tablesOf<TurnTables>(options.open.database)
  const store = makeTurnStore(turnTables)
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
        skills: await parts.skills.ofThread({ userId: row.user_id, workspaceId: row.workspace_id }),
      }
    },
    forkNote: async (threadId) => {
      const row = await parts.threadStore.findAny(threadId)
      const from = row && forkedFromOf(row)
      if (from === undefined || from === null) return null
      return (await store.turnsFrom(threadId, 0)).length === from.turns ? forkNoteOf(from) : null
    },
    setAutomaticTitle: (threadId, title) => parts.threads.setAutomaticTitle(threadId, title),
    attachmentsOf: (threadId, ids) => parts.attachments.getAll(threadId, ids),
    settings: options.turnSettings,
    system: options.system,
    logger: options.logger,
  })
}
