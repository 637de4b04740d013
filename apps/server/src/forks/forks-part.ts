import type { ThreadParts } from '../application-parts.ts'
import { makeAttachmentStore } from '../attachments/attachments.store.ts'
import type { AttachmentTables } from '../attachments/attachments.table.ts'
import type { BlobStore } from '../blobs/blob-store.ts'
import { type OpenDatabase, tablesOf } from '../database/database.ts'
import type { Api } from '../http/api.ts'
import type { SharingParts } from '../sharing/sharing-parts.ts'
import type { System } from '../system.ts'
import { makeTurnStore } from '../turns/turns.store.ts'
import type { TurnTables } from '../turns/turns.table.ts'
import type { Turns } from '../turns/turns.usecases.ts'
import { forkRoutes } from './forks.routes.ts'
import { type Forks, makeForks } from './forks.usecases.ts'

/** Forks of a thread, and copies by a link, out of the parts that threads have. */
export function forkParts(
  options: { open: OpenDatabase; blobs: BlobStore; system: System },
  known: { parts: ThreadParts; turns: Turns; sharing: Pick<SharingParts, 'copyRoutes'> },
): Api[] {
  const forks = makeForkPart(options, known)
  return [forkRoutes({ forks, threads: known.parts.threads }), known.sharing.copyRoutes(forks)]
}

function makeForkPart(
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
