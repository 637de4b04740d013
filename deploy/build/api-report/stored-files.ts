import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { storedSchema } from '../../../apps/guest/src/rescue/rescue-store.ts'
import { openStateDatabase } from '../../../apps/host/src/machine/state/state-database.ts'
import { bootRecordSchema } from '../../../packages/gvisor-driver/src/boot-record.ts'
import { descriptionSchema } from '../../../packages/gvisor-driver/src/memory-image.ts'
import { type JsonValue, shapeOf } from './shapes.ts'
import { databaseTables } from './stored-rows.ts'

/**
 * Files that outlive the program that wrote them and belong to no protocol; those of protocols are among their schemas.
 */
export function storedFiles(): JsonValue {
  return {
    'boot record': shapeOf(bootRecordSchema),
    'memory image': shapeOf(descriptionSchema),
    'rescued state': shapeOf(storedSchema),
  }
}

/** The tables of the host daemon’s records. */
export async function hostTables(): Promise<JsonValue> {
  const folder = await mkdtemp(join(tmpdir(), 'threadbox-state-'))
  const database = openStateDatabase(join(folder, 'state.sqlite'))
  try {
    return await databaseTables(database)
  } finally {
    await database.destroy()
    await rm(folder, { recursive: true, force: true })
  }
}
