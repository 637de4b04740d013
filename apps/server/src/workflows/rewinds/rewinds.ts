import { type OpenDatabase, tablesOf } from '../../platform/database/database.ts'
import type { Api, OpenThread } from '../../platform/http/api.ts'
import { forkedFromOf, type ThreadRows } from '../../threads/public.ts'
import type { TurnGate, TurnNote } from '../../turns/public.ts'
import { historyNotes } from './history-note.logic.ts'
import { rewindUnderWay } from './rewinds.errors.ts'
import { rewindRoutes } from './rewinds.routes.ts'
import { makeRewindStore } from './rewinds.store.ts'
import type { RewindTables } from './rewinds.table.ts'
import { makeRewinds, type Rewinds, type RewindsDependencies } from './rewinds.usecases.ts'

export type RewindsFeature = {
  rewinds: Rewinds
  /** Prevents turns in a thread that is being rewound, or whose rewind waits for the host. */
  gate: TurnGate
  /** The notes about forks and rewinds for the model. */
  note: TurnNote
  routes: Api
}

export function makeRewindsFeature({
  open,
  threads,
  ...ports
}: Omit<RewindsDependencies, 'store' | 'isFromAgent'> & {
  open: OpenDatabase
  threads: { rows: Pick<ThreadRows, 'findAny'>; open: OpenThread }
}): RewindsFeature {
  const store = makeRewindStore(tablesOf<RewindTables>(open.database))
  const { history } = ports
  const { rows } = threads
  const rewinds = makeRewinds({
    ...ports,
    store,
    isFromAgent: async (threadId) => ((await rows.findAny(threadId))?.started_from_json ?? null) !== null,
  })
  return {
    rewinds,
    gate: async (threadId) => {
      const rewind = await store.newest(threadId)
      if (rewind !== undefined && rewind.state !== 'done') throw rewindUnderWay({})
    },
    note: async (threadId, before) => {
      const row = await rows.findAny(threadId)
      const rewind = await store.newest(threadId)
      const turns = (await history.turnsFrom(threadId, 0)).filter(({ ordinal }) => ordinal < before)
      const rewound = rewind === undefined ? null : { at: rewind.at, cameBack: rewind.came_back ?? 'disk' }
      return historyNotes({ turns, forkedFrom: (row && forkedFromOf(row)) ?? null, rewound })
    },
    routes: rewindRoutes({ rewinds, open: threads.open }),
  }
}
