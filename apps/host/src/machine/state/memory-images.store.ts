import { withoutDiskWait } from '@threadbox/sqlite'
import type { Kysely, Selectable } from 'kysely'
import type { MemoryImagesTable, StateTables } from './state.tables.ts'

export type StoredImage = Selectable<MemoryImagesTable>

/** Saved memory and the boots it belongs to: what must change together is changed in one transaction. */
export type MemoryImagesStore = {
  find(sandboxId: string): Promise<StoredImage | undefined>
  list(): Promise<StoredImage[]>
  /** Announces an image that is about to be written. */
  insert(image: Pick<StoredImage, 'sandboxId' | 'imageId' | 'bootId' | 'driverVersion' | 'createdAt'>): Promise<void>
  /** The image is complete and its boot is paused; false if the boot has ended in the meantime. */
  finishPause(image: Omit<StoredImage, 'phase' | 'driverVersion'> & { diskGeneration: string }): Promise<boolean>
  /** The disk has changed in nothing that the memory knows of. */
  setDiskGeneration(options: { imageId: string; diskGeneration: string }): Promise<void>
  /** From this point on the image is never used again, whatever happens. What continues runs under this driver name. */
  consume(boot: {
    sandboxId: string
    bootId: string
    driverBootId: string
    state: 'waking' | 'demoting'
  }): Promise<void>
  /**
   * Does not wait for the disk: a power cut ends the boot, and whether it was recorded as woken or as being woken makes no
   * difference then.
   */
  finishWake(bootId: string): Promise<void>
  remove(imageId: string): Promise<void>
}

export function makeMemoryImagesStore(database: Kysely<StateTables>): MemoryImagesStore {
  const images = () => database.selectFrom('memory_images').selectAll()
  return {
    find: (sandboxId) => images().where('sandboxId', '=', sandboxId).executeTakeFirst(),
    list: () => images().orderBy('createdAt').execute(),
    insert: async (image) => {
      const unknown = { diskGeneration: null, bytes: 0, manifestProblem: '', stallMs: 0, durationMs: 0 }
      await database
        .insertInto('memory_images')
        .values({ ...image, ...unknown, phase: 'saving' })
        .execute()
    },
    finishPause: (image) =>
      database.transaction().execute(async (transaction) => {
        const paused = await transaction
          .updateTable('boots')
          .set({ state: 'paused' })
          .where('bootId', '=', image.bootId)
          .where('state', '=', 'ready')
          .returning('bootId')
          .executeTakeFirst()
        if (paused === undefined) return false
        await transaction
          .updateTable('memory_images')
          .set({ ...image, phase: 'ready' })
          .where('imageId', '=', image.imageId)
          .execute()
        return true
      }),
    setDiskGeneration: async ({ imageId, diskGeneration }) => {
      await database
        .updateTable('memory_images')
        .set({ diskGeneration })
        .where('imageId', '=', imageId)
        .where('phase', '=', 'ready')
        .execute()
    },
    consume: async ({ sandboxId, bootId, driverBootId, state }) => {
      await database.transaction().execute(async (transaction) => {
        await transaction
          .updateTable('memory_images')
          .set({ phase: 'consumed' })
          .where('sandboxId', '=', sandboxId)
          .execute()
        await transaction.updateTable('boots').set({ state, driverBootId }).where('bootId', '=', bootId).execute()
      })
    },
    finishWake: (bootId) =>
      withoutDiskWait(database, async (connection) => {
        await connection
          .updateTable('boots')
          .set({ state: 'ready' })
          .where('bootId', '=', bootId)
          .where('state', '=', 'waking')
          .execute()
      }),
    remove: async (imageId) => {
      await database.deleteFrom('memory_images').where('imageId', '=', imageId).execute()
    },
  }
}
