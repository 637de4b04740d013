import type { ObjectStore } from '@threadbox/object-store'
import type { Logger } from '@threadbox/telemetry'
import { type OpenDatabase, tablesOf } from '../../platform/database/database.ts'
import type { SecretBox } from '../../platform/secrets/secret-box.ts'
import type { System } from '../../platform/system/system.ts'
import { makeArchivePlace } from './archive-place.ts'
import type { ArchivesDependencies } from './archives.dependencies.ts'
import { makeArchiveStore } from './archives.store.ts'
import type { ArchiveTables } from './archives.table.ts'
import { type Archives, makeArchives } from './archives.usecases.ts'

/** Where the files of unused sandboxes go, and where they are on the way. */
export type ArchiveOptions = {
  /** Empty: they stay. */
  place: string
  spoolDirectory: string
  openStore(place: string): Promise<ObjectStore>
}

export function makeArchiveFeature(
  ports: Pick<ArchivesDependencies, 'sandboxes' | 'state' | 'host' | 'announce'> & {
    open: OpenDatabase
    secretBox: SecretBox
    archive: ArchiveOptions
    system: System
    logger: Logger
  },
): Archives {
  const store = makeArchiveStore(tablesOf<ArchiveTables>(ports.open.database))
  const { spoolDirectory } = ports.archive
  return makeArchives({
    ...ports,
    store,
    spoolDirectory,
    place: makeArchivePlace({ ...ports, ...ports.archive, store }),
  })
}
