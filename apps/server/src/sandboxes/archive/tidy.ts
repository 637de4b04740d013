import { removeSealedStream } from '@threadbox/backups'
import type { ArchivesDependencies } from './archives.dependencies.ts'
import type { ArchiveRow } from './archives.table.ts'
import { prefixOf, removeFromHost } from './leave.ts'

/** A backup from before the return of a disk finds it in the archive for this long. */
const returnedMs = 30 * 24 * 3_600_000

/** Brings every copy into the phase that a crash kept it from. Each ends in one copy that counts: here, or archived. */
export async function settleArchives(dependencies: ArchivesDependencies): Promise<void> {
  for (const copy of await dependencies.store.all()) {
    await settleOne(dependencies, copy).catch((error: unknown) => {
      dependencies.logger.warn(
        { err: error, sandboxId: copy.sandbox_id },
        'an interrupted archive was not completed yet',
      )
    })
  }
}

async function settleOne(dependencies: ArchivesDependencies, copy: ArchiveRow): Promise<void> {
  const { store, sandboxes, system } = dependencies
  if (copy.phase === 'returned' || copy.phase === 'discarded') return
  const row = await sandboxes.findById(copy.sandbox_id)
  const isArchived = row?.state === 'archived'
  if (isArchived && copy.phase === 'leaving') return await removeFromHost(dependencies, { row, copyId: copy.id })
  if (isArchived && copy.phase === 'stored') return
  const wasStored = copy.phase === 'stored' && row !== undefined && row.state !== 'deleting'
  await store.change(copy.id, { phase: wasStored ? 'returned' : 'discarded', since: system.now() })
}

/** Deletes copies that are not needed any longer. A store that can’t be reached is tried again later. */
export async function tidyStore(dependencies: ArchivesDependencies): Promise<void> {
  const { store, place, system } = dependencies
  const now = system.now()
  for (const copy of await store.all()) {
    const isUnneeded = copy.phase === 'discarded' || (copy.phase === 'returned' && now >= copy.since + returnedMs)
    if (!isUnneeded) continue
    if (copy.is_shared === 0) await removeSealedStream(await place.open(copy.place), prefixOf(copy))
    await store.remove(copy.id)
  }
}
