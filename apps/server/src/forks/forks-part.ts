import type { ThreadParts } from '../application-parts.ts'
import { makeAttachmentStore } from '../attachments/attachments.store.ts'
import type { AttachmentTables } from '../attachments/attachments.table.ts'
import type { BlobStore } from '../blobs/blob-store.ts'
import { type OpenDatabase, tablesOf } from '../database/database.ts'
import type { System } from '../system.ts'
import { makeTurnStore } from '../turns/turns.store.ts'
import type { TurnTables } from '../turns/turns.table.ts'
import type { Turns } from '../turns/turns.usecases.ts'
import { type Forks, makeForks } from './forks.usecases.ts'

/** Forks, out of the parts that threads have. */
export function makeForkPart(
  options: { open: OpenDatabase; blobs: BlobStore; system: System },
  known: { parts: ThreadParts; turns: Turns },
): Forks {
  const { parts, turns } = known
  const { open, blobs, system } = options
  return makeForks({
    ...{ ...parts, blobs, system, turns },
    turnStore: makeTurnStore(tablesOf<TurnTables>(open.database)),
    attachments: makeAttachmentStore(tablesOf<AttachmentTables>(open.database)),
    sandboxOf: (threadId) => parts.sandboxStore.find(threadId),
    onSandboxChanged: (threadId) => parts.serviceWatch.sandboxChanged(threadId),
  })
}
