import type { ThreadParts } from '../../application-parts.ts'
import type { BlobStore } from '../../platform/blobs/blob-store.ts'
import { type OpenDatabase, tablesOf } from '../../platform/database/database.ts'
import type { Api } from '../../platform/http/api.ts'
import type { System } from '../../platform/system/system.ts'
import { makeAttachmentStore } from '../../threads/attachments/attachments.store.ts'
import type { AttachmentTables } from '../../threads/attachments/attachments.table.ts'
import type { Turns } from '../../turns/engine/turns.usecases.ts'
import { makeTurnStore } from '../../turns/record/turns.store.ts'
import type { TurnTables } from '../../turns/record/turns.table.ts'
import type { SharingParts } from '../sharing/sharing-parts.ts'
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
    ...parts,
    blobs,
    system,
    turns,
    turnStore: makeTurnStore(tablesOf<TurnTables>(open.database)),
    attachments: makeAttachmentStore(tablesOf<AttachmentTables>(open.database)),
    sandboxOf: (threadId) => parts.sandboxStore.find(threadId),
    onSandboxChanged: (threadId) => void parts.sandboxArea.events.emit('sandbox-changed', { threadId }),
  })
}
