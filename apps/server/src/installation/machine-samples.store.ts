import type { Kysely } from 'kysely'
import { withoutDiskWait } from '../platform/database/database.ts'
import type { MachineSampleRow, MachineTables } from './machine.table.ts'

/** The only code that touches the samples. */
export type MachineSampleStore = {
  /** Does nothing if this slot has a row: another server measured it. */
  add(row: MachineSampleRow): Promise<void>
  removeBefore(at: number): Promise<void>
  /** Oldest first. */
  since(at: number): Promise<MachineSampleRow[]>
}

/** A power cut can take the newest rows, which are only for charts. */
export function makeMachineSampleStore(database: Kysely<MachineTables>): MachineSampleStore {
  return {
    add: (row) =>
      withoutDiskWait(database, async (transaction) => {
        await transaction
          .insertInto('machine_samples')
          .values(row)
          .onConflict((conflict) => conflict.column('at').doNothing())
          .execute()
      }),
    removeBefore: (at) =>
      withoutDiskWait(database, async (transaction) => {
        await transaction.deleteFrom('machine_samples').where('at', '<', at).execute()
      }),
    since: (at) => database.selectFrom('machine_samples').selectAll().where('at', '>=', at).orderBy('at').execute(),
  }
}
