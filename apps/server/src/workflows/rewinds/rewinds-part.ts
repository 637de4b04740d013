import type { Logger } from '@threadbox/telemetry'
import type { ThreadParts } from '../../application-parts.ts'
import { type OpenDatabase, tablesOf } from '../../platform/database/database.ts'
import type { System } from '../../platform/system/system.ts'
import type { HostClient } from '../../sandboxes/host/host-client.ts'
import { makeGuestQuestions } from '../../sandboxes/lifecycle/guest-manifest.ts'
import type { Turns } from '../../turns/engine/turns.usecases.ts'
import { makeTurnStore } from '../../turns/record/turns.store.ts'
import type { TurnTables } from '../../turns/record/turns.table.ts'
import { makeRewindStore } from './rewinds.store.ts'
import type { RewindTables } from './rewinds.table.ts'
import { makeRewinds, type Rewinds } from './rewinds.usecases.ts'

/** Rewinds, out of the parts that threads have. */
export function makeRewindPart(
  options: { open: OpenDatabase; host: HostClient; system: System; logger: Logger },
  known: { parts: ThreadParts; turns: Turns },
): Rewinds {
  const { parts, turns } = known
  const { open, host, system, logger } = options
  return makeRewinds({
    ...parts,
    host,
    system,
    logger,
    turns,
    store: makeRewindStore(tablesOf<RewindTables>(open.database)),
    turnStore: makeTurnStore(tablesOf<TurnTables>(open.database)),
    guest: makeGuestQuestions(host),
    memoryOf: parts.sandboxStore.memory,
    sandboxOf: (threadId) => parts.sandboxStore.find(threadId),
    isFromAgent: async (threadId) => ((await parts.threadStore.findAny(threadId))?.started_from_json ?? null) !== null,
  })
}
