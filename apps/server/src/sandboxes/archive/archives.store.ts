import type { Kysely } from 'kysely'
import type { ArchiveKeyRow, ArchiveRow, ArchiveTables } from './archives.table.ts'

/** The only code that touches `archives` and `archive_keys`. */
export type ArchiveStore = {
  all(): Promise<ArchiveRow[]>
  /** The copy that counts, if the sandbox is archived. */
  current(sandboxId: string): Promise<ArchiveRow | undefined>
  insert(row: ArchiveRow): Promise<void>
  change(id: string, values: Partial<Omit<ArchiveRow, 'id' | 'sandbox_id'>>): Promise<void>
  /** Every copy of the sandbox is to be deleted. */
  discardOf(sandboxId: string, at: number): Promise<void>
  remove(id: string): Promise<void>
  /** Moves every recorded time by as much as the clock was set. */
  shiftTimes(byMs: number): Promise<void>
  key(): Promise<ArchiveKeyRow | undefined>
  /** Returns the key that a concurrent call stored first. */
  storeKey(key: Omit<ArchiveKeyRow, 'name'>): Promise<ArchiveKeyRow>
}

const keyName = 'archive'

export function makeArchiveStore(database: Kysely<ArchiveTables>): ArchiveStore {
  const key = () => database.selectFrom('archive_keys').selectAll().where('name', '=', keyName).executeTakeFirst()
  return {
    all: () => database.selectFrom('archives').selectAll().orderBy('since').execute(),
    current: (sandboxId) =>
      database
        .selectFrom('archives')
        .selectAll()
        .where('sandbox_id', '=', sandboxId)
        .where('phase', 'in', ['leaving', 'stored'])
        .orderBy('since', 'desc')
        .executeTakeFirst(),
    insert: async (row) => {
      await database.insertInto('archives').values(row).execute()
    },
    change: async (id, values) => {
      await database.updateTable('archives').set(values).where('id', '=', id).execute()
    },
    discardOf: async (sandboxId, at) => {
      await database
        .updateTable('archives')
        .set({ phase: 'discarded', since: at })
        .where('sandbox_id', '=', sandboxId)
        .where('phase', '<>', 'discarded')
        .execute()
    },
    remove: async (id) => {
      await database.deleteFrom('archives').where('id', '=', id).execute()
    },
    shiftTimes: async (byMs) => {
      await database
        .updateTable('archives')
        .set((builder) => ({ since: builder('since', '+', byMs) }))
        .execute()
    },
    key,
    storeKey: async (made) => {
      await database
        .insertInto('archive_keys')
        .values({ name: keyName, ...made })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .execute()
      return (await key()) ?? { name: keyName, ...made }
    },
  }
}
